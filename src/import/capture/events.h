// Gives API calls and the work that they caused to the builder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/intervals.h"
#include "base/number_distinct.h"
#include "base/untouched_vector.h"
#include "import/capture/names.h"
#include "import/capture/trace_rows.h"
#include "import/capture/work.h"
#include "import/times.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// Whose call caused the work; where none is recorded, its process.
profile::ThreadId thread_of(const profile::Trace& trace, const Work& work);
// The call that caused the work; where none is recorded, of no duration, when the work began.
base::Interval call_of(const profile::Trace& trace, const Work& work, base::Interval time);

// Kernels and launches of whole graphs as rows for the builder, which calls row() on all cores.
// Launches and Tensor Core verdicts are computed before, once per distinct value.
class KernelRows {
 public:
  // `work` contains kernels, then graphs. Adds what their rows refer to to the builder; all must
  // outlive the object.
  KernelRows(const profile::Trace& trace, const KernelNameIds& name_ids, std::span<const Work> work,
             profile::ProfileBuilder& builder);

  // Returns the row of work[i], without its instance.
  profile::KernelRow row(std::size_t i) const;

 private:
  struct LaunchKey {
    profile::Dim3 grid, block;
    profile::Row device = 0;
    profile::ThreadId thread = 0;
    bool operator==(const LaunchKey&) const = default;
  };
  struct HashOfLaunch {
    std::size_t operator()(const LaunchKey& launch) const;
  };
  struct Names {
    profile::StringId name = 0, long_name = 0;
  };

  LaunchKey launch_of(const Work& work) const;
  // Returns the names of a kernel; the long one as recorded.
  Names names_of(const Work& work) const;
  void add_launches(profile::ProfileBuilder& builder);
  void judge_names(const profile::ProfileBuilder& builder);
  void name_graphs(profile::ProfileBuilder& builder);

  const profile::Trace& trace_;
  const KernelNameIds& name_ids_;
  const std::span<const Work> work_;
  std::size_t kernels_ = 0;                   // the others are graphs
  base::UntouchedVector<uint32_t> launches_;  // by work: number of the launch
  std::vector<profile::Row> launch_rows_;     // by that number
  base::UntouchedVector<uint32_t> judged_;    // by kernel: number of its name on its GPU
  std::vector<bool> uses_tensor_cores_;       // by that number
  std::vector<Names> graph_names_;            // by graph
};

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
  // Adds other GPU activity, after the kernels; kNoRow as above.
  void add_others(std::span<const Work> work, std::span<const profile::Row> instances);
  void add_call(profile::Row call, profile::Row instance);

 private:
  profile::Row thread_row(profile::ThreadId thread);
  profile::StringId name_of(const Work& work);
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
  std::unordered_map<profile::ThreadId, profile::Row> threads_;
};

}  // namespace dlview::import::capture
