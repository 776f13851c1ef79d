// The finding that ranks wait for others, as the Dashboard of a rank shows it.
#pragma once

#include <optional>

#include "aggregate/finding.h"
#include "ranks/run_figures.h"

namespace dlview::ranks {

// Its savings are the cost of stragglers: that much is gained at most if every rank were like the
// median one. nullopt = none stands out.
std::optional<aggregate::Finding> straggler_finding(const RunFigures& run);

}  // namespace dlview::ranks
