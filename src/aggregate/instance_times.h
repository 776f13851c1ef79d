// The five times of op instances (formats.md 2). Without filters they do not depend on the
// selection.
#pragma once

#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/iterations.h"
#include "aggregate/row_filter.h"
#include "aggregate/stats.h"
#include "base/untouched_vector.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Computes one instance at a time; keeps its scratch memory in between. One thread each.
class InstanceTimer {
 public:
  explicit InstanceTimer(const profile::Profile& profile) : profile_(&profile) {}
  InstanceTimes times_of(profile::InstanceIndex instance);
  // GPU time and idle from the events that pass, per window and added; the rest as above.
  InstanceTimes times_of(profile::InstanceIndex instance, const RowFilter& filter);

 private:
  struct GpuEvent {
    profile::DeviceIndex device{0};
    int64_t start_ns = 0, stop_ns = 0;
  };
  InstanceTimes host_times(profile::InstanceIndex instance) const;
  TimeWindow span_of_events(profile::InstanceIndex instance) const;
  void collect(profile::InstanceIndex instance, const RowFilter& filter, const TimeWindow& window);
  void add_gpu_times(InstanceTimes& times);

  const profile::Profile* profile_;
  std::vector<GpuEvent> events_;
};

// One entry per instance row; runs on all cores.
base::UntouchedVector<InstanceTimes> instance_times(const profile::Profile& profile);

// The kernels of one iteration, and their totals by op. DLProf stores the totals next to each
// kernel (kernel_iteration_node). A kernel counts in the iteration that has its op instance,
// whenever it runs (spec.md 2). Times are sums of durations.

// Rows [first, last) of Profile::kernels.
struct KernelRows {
  profile::KernelIndex first{0}, last{0};
  bool operator==(const KernelRows&) const = default;
};
KernelRows kernels_of(const profile::Profile& profile, const Iteration& iteration);

struct OpKernels {
  profile::OpIndex op{0};
  KernelTotals totals;
  bool operator==(const OpKernels&) const = default;
};
// One entry for each op with a kernel in the iteration, in order of op row; with a filter, of the
// kernels that it counts.
std::vector<OpKernels> kernels_by_op(const profile::Profile& profile, const Iteration& iteration,
                                     const RowFilter* filter = nullptr);

}  // namespace dlview::aggregate
