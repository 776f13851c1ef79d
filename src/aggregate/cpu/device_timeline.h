// What each device did when, as disjoint intervals: the resource breakdown of the whole capture. It
// does not depend on the selection; a cut only asks how much of each category lies in an iteration.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregate/breakdown.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

struct DeviceTimeline {
  // Exclusive, by precedence; I/O is not in the raw rows and Other is what remains.
  base::IntervalSet tensor_core_kernels, other_kernels, memory, data_loader, cpu;

  // Splits [start_ns, stop_ns); sums to stop - start.
  Breakdown between(int64_t start_ns, int64_t stop_ns) const;
};

// One timeline per device row.
std::vector<DeviceTimeline> device_timelines(const profile::Profile& profile);

}  // namespace dlview::aggregate::cpu
