// Where iterations begin and end and which instances they hold, by spec.md 1, 2, 4, 5 and 92
// taken word by word: the reference's own code, shared with no engine.
#pragma once

#include <vector>

#include "aggregate/iterations.h"
#include "aggregate/reference/kept.h"

namespace dlview::aggregate::reference {

Iterations find_iterations(const profile::Profile& profile, const Cut& cut);

// Kernels whose instances no iteration holds, and the time around the iterations.
Outside work_outside(const profile::Profile& profile, const Iterations& iterations);

// Iteration numbers by duration, ties by number.
std::vector<uint32_t> shortest_first(const Iterations& iterations);

// The stored aggregation of exactly this range of exactly these iterations, if there is one.
const profile::StoredAggregation* stored_aggregation(const profile::Profile& profile,
                                                     const Iterations& iterations,
                                                     const IterationRange& range);

struct InstanceInRange {
  profile::InstanceIndex instance{0};
  int64_t iteration = 0;
};
// The instances that begin in the iterations of `range` and count, in order.
std::vector<InstanceInRange> instances_in(const Iterations& iterations, const IterationRange& range,
                                          const Kept& kept);

}  // namespace dlview::aggregate::reference
