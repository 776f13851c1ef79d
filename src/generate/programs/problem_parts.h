// Shared parts of the programs with planted problems.
#pragma once

#include <cstdint>
#include <span>

#include "generate/programs/problem_job.h"
#include "generate/programs/problems.h"

namespace dlview::generate::programs {

inline constexpr int64_t kMega = 1'000'000, kUs = 1'000;
inline constexpr Copy kLossValue{4, kToHost, false}, kPinnedLossValue{4, kToHost, true};
inline constexpr int64_t kSeldom = 12;  // steps
inline constexpr bool kNear = true;     // PlannedProblem::is_near

inline JobRun job(uint64_t seed, const JobHooks& hooks, int64_t processes = 1, int64_t major = 8) {
  return play_job({.seed = seed, .processes = processes, .compute_capability_major = major}, hooks);
}

inline bool is_third(int64_t layer) {
  return layer % 3 == 2;
}

// The host waits for the GPU or allocates.
std::span<const PlannedProblem> host_problems();
// Copies and memsets.
std::span<const PlannedProblem> copy_problems();
// Kernels, idle GPUs and single slow steps.
std::span<const PlannedProblem> gpu_problems();

}  // namespace dlview::generate::programs
