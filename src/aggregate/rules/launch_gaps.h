// Idle gaps while the host launches without a pause: the GPU runs its kernels faster than the
// host launches them.
#pragma once

#include <vector>

#include "aggregate/rules/gpu_events.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Marks the gaps of a GPU (GpuWorkTimes::gap) that are launch gaps of one process: they end with a
// kernel launched after the gap began. Neither the gap nor the time since the thread's previous
// launch exceeds 100 µs or four times the thread's median launch interval. No thread of the process
// blocks between the two launches (`blocked`).
void mark_launch_gaps(const profile::Profile& profile, const GpuEvents& process,
                      const base::IntervalSet& blocked, const GpuWorkTimes& gpu,
                      std::vector<bool>& gaps);

}  // namespace dlview::aggregate
