// The names of what a run has: ops, kernels and synchronizations. A baseline keeps them, so that a
// budget can limit what is new (docs/dev/spec.md, budget.names).
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"

namespace dlview::report::budget {

// More names are not kept.
inline constexpr std::size_t kMostNames = 100'000;

struct KnownNames {
  using Names = std::set<std::string, std::less<>>;
  Names ops;               // without running numbers: "/blocks.#.attn"
  Names kernels;           // by identity; the end of a long one is a hash
  Names synchronizations;  // "cudaStreamSynchronize in /blocks.#.attn"
  std::size_t size() const { return ops.size() + kernels.size() + synchronizations.size(); }
  void add(const KnownNames& other);
  bool operator==(const KnownNames&) const = default;
};

// Returns the names in the range that match the filters. Costs the kernels of the range, and the
// synchronizations of the run.
KnownNames names_of(const profile::Profile& profile, const aggregate::Aggregation& aggregation);

// Returns what is in `run` only: "op /blocks.#.attn", "kernel elementwise_kernel", "cudaFree in
// /a".
std::vector<std::string> new_names(const KnownNames& known, const KnownNames& run);

// Returns the share of the GPU time of ops whose name is known, 0..1; of CPU time, if there is no
// GPU time. 1 if there is no time at all.
double known_share(const KnownNames& known, const profile::Profile& profile,
                   const aggregate::Aggregation& aggregation);

}  // namespace dlview::report::budget
