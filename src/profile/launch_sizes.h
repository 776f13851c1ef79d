// How many blocks and threads a kernel was launched with.
#pragma once

#include "profile/profile.h"
#include "profile/whole_graphs.h"

namespace dlview::profile {

// Whether the file has it of this kernel: an export may lack it of all, a PyTorch trace of kernels
// in a graph (0 blocks), and the launch of a whole graph has none.
inline bool has_launch_size(const Profile& profile, KernelIndex kernel) {
  const bool lacks_all = profile.trace && profile.trace->kernels.grid.empty();
  const bool has_blocks = profile.launches.grid[profile.kernels.launch[kernel]].x > 0;
  return !lacks_all && has_blocks && !is_whole_graph(profile.text(profile.kernels.name[kernel]));
}

}  // namespace dlview::profile
