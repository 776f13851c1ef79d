// FrameTimes: CPU and GPU time of each Python frame in the whole run, without filters.
// add_up_stacks() sums the same times by call stack, for a range.
#pragma once

#include <cstdint>

#include "aggregate/frames_by_thread.h"
#include "base/large_memory.h"
#include "profile/profile.h"
#include "profile/python_frames.h"

namespace dlview::aggregate {

// By row of PythonFrames, in ns.
struct FrameTimes {
  // The time in which no frame that it calls is open.
  base::LargeVector<int64_t> self_ns;
  // The sum of the kernels that the frame and those that it calls launch. A kernel belongs to the
  // frame of its thread that is open at the start of the launching call.
  base::LargeVector<int64_t> gpu_ns;
};

FrameTimes frame_times(const profile::Profile& profile, const profile::PythonFrames& frames,
                       const FramesByThread& by_thread);

}  // namespace dlview::aggregate
