// EventAdder: gives API calls and the work that they caused to the builder.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/intervals.h"
#include "import/capture/call_names.h"
#include "import/capture/kernel_name_ids.h"
#include "import/capture/trace_notes.h"
#include "import/capture/work.h"
#include "import/times.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

class EventAdder {
 public:
  EventAdder(const profile::Trace& trace, CallNames& names, const KernelNameIds& kernel_names,
             profile::ProfileBuilder& builder, const TraceNotes& notes)
      : trace_(trace),
        names_(names),
        kernel_names_(kernel_names),
        builder_(builder),
        notes_(notes),
        budget_(builder.device_count()) {}

  // Instances are the builder's. All kernels and graphs at once, with kNoRow for those that belong
  // to none.
  void add_kernels(std::span<const Work> work, std::span<const profile::Row> instances);
  // Other work, behind the kernels; kNoRow as above.
  void add_others(std::span<const Work> work, std::span<const profile::Row> instances);
  void add_call(profile::Row call, profile::Row instance);

 private:
  profile::Row thread_row(profile::GlobalId thread);
  profile::StringId name_of(const Work& work);
  // 0, and a note, for a number that Profile has no room for.
  int8_t copy_kind_of(profile::Row memcpy);
  void add_memory_op(const Work& work, profile::Row instance, base::Interval call,
                     base::Interval time);
  void add_sync(const Work& work, profile::Row instance, base::Interval call);
  GpuTime gpu_time(const Work& work, profile::Row instance) const;
  void add_time(TimeSums& sums, const Work& work, profile::Row instance) const;
  bool has_room_for_all(std::span<const Work> work, std::span<const profile::Row> instances);
  bool has_room(const Work& work, profile::Row instance);
  // Where in `work`, those of no instance among them; notes the others.
  std::vector<std::size_t> places_without_room(std::span<const Work> work,
                                               std::span<const profile::Row> instances);
  void note_too_much(const char* table, profile::Row row);

  const profile::Trace& trace_;
  CallNames& names_;
  const KernelNameIds& kernel_names_;
  profile::ProfileBuilder& builder_;
  const TraceNotes notes_;
  TimeBudget budget_;
  std::unordered_map<profile::GlobalId, profile::Row> threads_;
};

}  // namespace dlview::import::capture
