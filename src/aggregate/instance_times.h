// The five times of op instances (dlprof-database.md, section 2). Without filters they do not
// depend on the selection.
#pragma once

#include <vector>

#include "aggregate/row_filter.h"
#include "aggregate/stats.h"
#include "base/untouched_vector.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Computes one instance at a time; keeps its scratch memory in between. One thread each.
class InstanceTimer {
 public:
  explicit InstanceTimer(const profile::Profile& profile) : profile_(&profile) {}
  InstanceTimes times_of(profile::Row instance);
  // GPU time and idle from the events that pass, per window and added; the rest as above.
  InstanceTimes times_of(profile::Row instance, const RowFilter& filter);

 private:
  struct GpuEvent {
    profile::Row device = 0;
    int64_t start_ns = 0, stop_ns = 0;
  };
  InstanceTimes host_times(profile::Row instance) const;
  TimeWindow span_of_events(profile::Row instance) const;
  void collect(profile::Row instance, const RowFilter& filter, const TimeWindow& window);
  void add_gpu_times(InstanceTimes& times);

  const profile::Profile* profile_;
  std::vector<GpuEvent> events_;
};

// One entry per instance row; runs on all cores.
base::UntouchedVector<InstanceTimes> instance_times(const profile::Profile& profile);

}  // namespace dlview::aggregate
