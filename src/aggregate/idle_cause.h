// What the host did while GPUs were idle in one iteration and not in another.
#pragma once

#include <cstdint>
#include <optional>

#include "aggregate/gaps/idle_gaps.h"
#include "aggregate/iterations.h"
#include "aggregate/rules/rule_index.h"

namespace dlview::aggregate {

// Returns where the host spent the longest gap of the cause that takes most more of the GPUs' idle
// time in `longer` than in `shorter`. Gaps count with their part in the iteration, if it is more
// than a hundredth of it. Nothing if no cause takes more.
std::optional<HostTime> idle_cause(const RuleIndex& rules, const Iterations& iterations,
                                   int64_t longer, int64_t shorter);

}  // namespace dlview::aggregate
