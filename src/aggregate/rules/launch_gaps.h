// Idle gaps while the host launches without a pause: the GPU runs its kernels faster than the
// host launches them.
#pragma once

#include <vector>

#include "aggregate/rules/gpu_events.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Returns for each gap of a GPU (GpuWorkTimes::gap) whether it is one. A kernel ends it that was
// launched after the gap began. Neither the gap nor the time since the launch before is longer than
// four times what is usual for the thread, or than 100 µs. Meanwhile no thread of the process
// blocked (`blocked`).
std::vector<bool> find_launch_gaps(const profile::Profile& profile, const GpuEvents& gpu,
                                   const base::IntervalSet& blocked);

}  // namespace dlview::aggregate
