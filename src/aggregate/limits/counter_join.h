// Which kernels of a profile the measured launches of Nsight Compute are (docs/dev/spec.md,
// Limits).
//
// The first level that finds kernels counts:
//   1  mangled name, grid, block        2  demangled name as written, grid, block
//   3  the name without namespaces, casts and blanks, grid, block
//   4  function and first functor, grid, block, if that is one name of the profile
// Nothing weaker is joined. NVTX ranges of the launch must be those of the kernel. Where a key has
// as many measured launches as kernels on each device and stream, the n-th is the n-th; else each
// kernel gets their mean.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/limits/counter_facts.h"
#include "profile/counters.h"
#include "profile/profile.h"

namespace dlview::aggregate {

enum class MatchState : uint8_t { joined, none, ambiguous, refused };
std::string_view to_text(MatchState state);

struct LaunchMatch {
  MatchState state = MatchState::none;
  int level = 0;                              // 1..4 of a joined or refused launch
  std::vector<profile::StringId> candidates;  // Kernels::long_name, of an ambiguous launch
  int64_t profile_launches = 0;               // kernels of its key
  int64_t measured_launches = 0;              // of this file with the same key
  bool by_occurrence = false;
  // "No kernel has this name, grid and block", "Measured on another GPU: NVIDIA L4
  // (compute capability 8.9) instead of NVIDIA H100 (compute capability 9.0)".
  std::string reason;
  double duration_ratio = 0;  // ncu's duration / the kernels' mean; 0 = unknown
};
// Outside of these, `duration_ratio` is worth a note.
inline constexpr double kLeastDurationRatio = 0.3, kMostDurationRatio = 4;

// The measured launches of one kernel: kernels of a key that is not joined by occurrence share
// them.
struct CounterJoin {
  std::vector<LaunchMatch> matches;  // by launch of the counters
  // Measured launches of set s are set_launches[set_first[s] .. set_first[s + 1]).
  std::vector<uint32_t> set_first{0};
  std::vector<profile::Row> set_launches;
  // By kernel row: the set, or kNoSet. Empty if nothing is joined.
  static constexpr uint32_t kNoSet = UINT32_MAX;
  std::vector<uint32_t> set_of_kernel;

  std::size_t set_count() const { return set_first.size() - 1; }
  std::span<const profile::Row> launches_of(uint32_t set) const {
    return std::span(set_launches).subspan(set_first[set], set_first[set + 1] - set_first[set]);
  }
};

// O((kernels + launches) log), and the length of the sets, of which those that kernels share count
// once; each name is normalized once.
CounterJoin join_counters(const profile::Profile& profile, const profile::KernelCounters& counters);
// `facts`: of the counters' launches, by row. They take much memory where launches are many.
CounterJoin join_counters(const profile::Profile& profile, const profile::KernelCounters& counters,
                          std::span<const CounterFacts> facts);

}  // namespace dlview::aggregate
