// Which threads launch the GPU's work, so that the GPU waits when they do.
#pragma once

#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

// By row of Profile::threads: whether it launches at least a tenth of its process's kernels, or is
// the first of the process, or the process launches none (spec.md 42).
std::vector<bool> launching_threads(const profile::Profile& profile);

}  // namespace dlview::aggregate
