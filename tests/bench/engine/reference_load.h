// The run that the goals of speed are stated for, built in memory: every iteration runs every op
// once, each with a few kernels, on two GPUs in turn.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "profile/profile.h"

namespace dlview::bench {

struct LoadSize {
  int64_t kernels = 10'000'000;
  int64_t iterations = 2'000;
  int64_t ops = 1'000;
  auto operator<=>(const LoadSize&) const = default;
};

// Three kernel names for each op, about one and a half groups. Made once for each size.
std::shared_ptr<const profile::Profile> reference_load(const LoadSize& size);

// The op that marks the steps of it.
std::string reference_key_op();

}  // namespace dlview::bench
