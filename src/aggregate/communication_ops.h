// Which ops communicate, by the short names of their kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Returns by row of Aggregation::ops the sum of its communication kernels in ns, without those that
// count as using Tensor Cores. Empty if no kernel of the run communicates. Reads each name once.
std::vector<int64_t> communication_of_ops(const profile::Profile& profile,
                                          const Aggregation& aggregation);

// Whether communication is more than half of the op's kernel time.
bool communicates(const OpAggregate& op, int64_t communication_ns);

}  // namespace dlview::aggregate
