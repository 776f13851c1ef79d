// What a capture holds of the launch of a kernel besides its size.
#pragma once

#include <cstdint>
#include <optional>

#include "profile/profile.h"

namespace dlview::profile {

// nullopt = not recorded. The occupancy and the two below it are in PyTorch traces only.
struct LaunchAttributes {
  std::optional<int64_t> registers_per_thread;
  std::optional<int64_t> shared_bytes;       // static and dynamic
  std::optional<int64_t> occupancy_percent;  // estimated, 0..100; 0 = below 0.5
  std::optional<int64_t> blocks_per_sm_millionths, warps_per_sm_millionths;
  std::optional<int64_t> graph_node;
};
LaunchAttributes launch_attributes(const Profile& profile, KernelIndex kernel);

// Whether any kernel has an occupancy or blocks for each SM.
bool tells_occupancy(const Profile& profile);

}  // namespace dlview::profile
