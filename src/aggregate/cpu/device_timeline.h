// What each device did when, as disjoint intervals: the resource breakdown of the whole capture. It
// does not depend on the selection but for its filters; a cut only asks how much of each category
// lies in an iteration.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aggregate/breakdown.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// What ran on a device, in any order.
struct DeviceEvents {
  std::vector<base::Interval> tensor_core_kernels, other_kernels, memory;
};

// What the host did while nothing ran on the device, whatever filters keep (decisions.md 25).
struct HostTimeline {
  base::IntervalSet data_loader, cpu;
};

struct DeviceTimeline {
  // Exclusive, by precedence; I/O is not in the raw rows and Other is what remains.
  base::IntervalSet tensor_core_kernels, other_kernels, memory;
  std::shared_ptr<const HostTimeline> host;

  // Splits [start_ns, stop_ns); sums to stop - start.
  Breakdown between(int64_t start_ns, int64_t stop_ns) const;
};

// One timeline per device row.
std::vector<DeviceTimeline> device_timelines(const profile::Profile& profile);

// The same of some of the events only, one entry per device row; the host is as in `all`.
std::vector<DeviceTimeline> device_timelines(std::vector<DeviceEvents> events,
                                             const std::vector<DeviceTimeline>& all);

}  // namespace dlview::aggregate::cpu
