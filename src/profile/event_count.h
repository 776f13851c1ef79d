// How much there is to look at in a profile: its op instances, and events of GPUs, of the host and
// of allocators; and in its Python frames.
#pragma once

#include <cstddef>

#include "profile/profile.h"
#include "profile/python_frames.h"

namespace dlview::profile {

inline std::size_t event_count(const Profile& profile) {
  return profile.instances.size() + profile.kernels.size() + profile.memory_ops.size() +
         profile.syncs.size() + profile.api_calls.size() +
         (profile.trace ? profile.trace->nvtx.size() + profile.trace->allocations.size() : 0);
}

// Whether a loop over all of them fits into a frame.
inline bool has_few_events(const Profile& profile) {
  return event_count(profile) <= 50'000;
}

// The same of Python frames, which are grouped by name and caller; null = not read, or not used.
inline bool has_few_frames(const PythonFrames* frames) {
  return frames == nullptr || frames->size() <= 2'000;
}

}  // namespace dlview::profile
