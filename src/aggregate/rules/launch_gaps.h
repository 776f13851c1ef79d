// Idle gaps while the host launches without a pause: the GPU runs its kernels faster than the
// host launches them.
#pragma once

#include <vector>

#include "aggregate/rules/gpu_events.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Marks those gaps of a GPU (GpuWorkTimes::gap) that are one and end with work of a process. A
// kernel ends it that was launched after the gap began. Neither the gap nor the time since the
// launch before is longer than four times what is usual for the thread, or than 100 µs. Meanwhile
// no thread of the process blocked (`blocked`).
void mark_launch_gaps(const profile::Profile& profile, const GpuEvents& process,
                      const base::IntervalSet& blocked, const GpuWorkTimes& gpu,
                      std::vector<bool>& gaps);

}  // namespace dlview::aggregate
