// Where iterations begin and end and which instances they hold, by decisions.md 1, 2 and 4 taken
// word by word: the reference's own code, shared with no engine.
#pragma once

#include <optional>

#include "aggregate/iterations.h"

namespace dlview::aggregate::reference {

Iterations find_iterations(const profile::Profile& profile, const Cut& cut);

// The stored aggregation whose iterations and range `selection` takes as they are, if it does.
const profile::StoredAggregation* stored_aggregation(const profile::Profile& profile,
                                                     const Selection& selection);

// The number of the iteration of `range` in which an instance begins.
std::optional<int64_t> iteration_of(const Iterations& iterations, const IterationRange& range,
                                    profile::Row instance);

}  // namespace dlview::aggregate::reference
