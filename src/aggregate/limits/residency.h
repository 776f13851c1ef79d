// How many blocks of a kernel fit on an SM at once, and what limits that: from threads, registers
// and shared memory of the launch (CUDA programming guide, compute capabilities).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profile/profile.h"

namespace dlview::aggregate {

struct Residency {
  int64_t blocks_per_sm = 0;
  double occupancy_percent = 0;  // resident warps / warps of the SM
  std::string_view limit;        // "registers", "shared memory", "warps" or "blocks"
};

// What a launch takes; nullopt = not recorded.
struct LaunchNeeds {
  int64_t threads = 0;  // of a block
  std::optional<int64_t> registers_per_thread, shared_bytes;
};

// nullopt: not an NVIDIA GPU of CC 7.0 to 12.0, registers not recorded, or the block does not fit.
// Assumes the largest shared memory that the SM can be set to.
std::optional<Residency> residency_of(const profile::Device& device, const LaunchNeeds& needs);
std::optional<Residency> residency_of(const profile::Profile& profile, profile::KernelIndex kernel);

// Waves of blocks on the SMs. A grid that fits at once spreads over the SMs, so its only wave has
// as many blocks for each SM as the fullest one: 132 blocks on 132 SMs are one full wave. Blocks on
// one SM share its units, so what is lost counts the blocks of the fullest SM, not waves.
struct GridWaves {
  double waves = 0;
  int64_t whole = 0;        // rounded up
  double last_percent = 0;  // how full the last one is, above 0
  double lost_percent = 0;  // of the time, at most: 1 - blocks / (SMs x blocks of the fullest)
};
std::optional<GridWaves> grid_waves(int64_t blocks, int64_t sm_count, int64_t blocks_per_sm);

}  // namespace dlview::aggregate
