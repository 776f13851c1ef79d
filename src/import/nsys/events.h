// EventAdder: gives API calls and the work that they caused to the builder.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/intervals.h"
#include "import/nsys/call_names.h"
#include "import/nsys/trace_notes.h"
#include "import/nsys/work.h"
#include "import/times.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

class EventAdder {
 public:
  EventAdder(const profile::Trace& trace, CallNames& names, profile::ProfileBuilder& builder,
             const TraceNotes& notes)
      : trace_(trace),
        names_(names),
        builder_(builder),
        notes_(notes),
        budget_(builder.device_count()) {}

  // `instance` is the builder's.
  void add_work(const Work& work, profile::Row instance);
  void add_call(profile::Row call, profile::Row instance);

 private:
  struct HashOfLaunch {
    std::size_t operator()(const profile::LaunchRow& launch) const;
  };
  struct SameLaunch {
    bool operator()(const profile::LaunchRow& a, const profile::LaunchRow& b) const {
      return a.grid == b.grid && a.block == b.block && a.device == b.device && a.thread == b.thread;
    }
  };

  // The call that caused the work; where none is recorded, of no duration, when the work began.
  base::Interval call_of(const Work& work, base::Interval time) const;
  profile::Row thread_row(profile::GlobalId thread);
  profile::Row thread_of(const Work& work);
  profile::Row launch_row(const profile::LaunchRow& launch);
  profile::StringId name_of(const Work& work);
  // By the kernel's long name, else its short one; what is unknown is no.
  bool uses_tensor_cores(const profile::KernelRow& kernel, profile::Row device);
  // 0, and a note, for a number that Profile has no room for.
  int8_t copy_kind_of(profile::Row memcpy);
  void add_kernel(const Work& work, profile::Row instance, base::Interval call,
                  base::Interval time);
  void add_memory_op(const Work& work, profile::Row instance, base::Interval call,
                     base::Interval time);
  void add_sync(const Work& work, profile::Row instance, base::Interval call);
  void note_too_much(const char* table, profile::Row row);

  const profile::Trace& trace_;
  CallNames& names_;
  profile::ProfileBuilder& builder_;
  const TraceNotes notes_;
  TimeBudget budget_;
  std::unordered_map<uint64_t, bool> tensor_core_names_;  // by name and device
  std::unordered_map<profile::GlobalId, profile::Row> threads_;
  std::unordered_map<profile::LaunchRow, profile::Row, HashOfLaunch, SameLaunch> launches_;
};

}  // namespace dlview::import::nsys
