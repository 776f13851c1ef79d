// Counterparts: what does in one run what an event of another run does. By the matching of ops:
// the instance with the same number among those of its op in its iteration, and in it the kernel or
// memory operation with the same number among those of its name.
#pragma once

#include <cstdint>
#include <optional>

#include "aggregate/comparison/run_pair.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// From which run to the other, and the iterations that stand for each other: iteration `from` of
// the one is iteration `to` of the other, and likewise their neighbors.
struct RunDirection {
  bool is_from_before = true;
  int64_t from = 0, to = 0;
  bool operator==(const RunDirection&) const = default;
};

// nullopt = it is in no iteration, its op has no partner, or the other run has fewer of them. Costs
// the instances of one iteration of each run.
std::optional<profile::InstanceIndex> counterpart(const RunPair& runs,
                                                  const RunDirection& direction,
                                                  profile::InstanceIndex instance);
std::optional<profile::KernelIndex> counterpart(const RunPair& runs, const RunDirection& direction,
                                                profile::KernelIndex kernel);

}  // namespace dlview::aggregate
