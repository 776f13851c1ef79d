// Statistics of iterations: the median of their durations, and the steady state.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregate/iterations.h"
#include "aggregate/selection.h"

namespace dlview::aggregate {

// In ns, one of each iteration.
std::vector<int64_t> durations_of(const Iterations& iterations);

// As percentile() has it; 0 = of nothing.
int64_t median_of(std::vector<int64_t> values);
// How far each value is from this one.
std::vector<int64_t> distances_from(int64_t value, std::vector<int64_t> values);

// Iterations whose duration is off the median by more than 25% and by more than five median
// absolute deviations, so that a noisy run does not consist of them. In order.
std::vector<int64_t> outlying_iterations(const Iterations& iterations);

// The longest range without outlying iterations, of equal ones the last, which is furthest from the
// warm-up. It begins and ends with five iterations in a row whose durations are within 10% of the
// median, or within three median absolute deviations where the run is less even than that. Nothing
// when there is no such place or there are fewer than ten iterations.
std::optional<IterationRange> steady_range(const Iterations& iterations);

// The first iteration of the first five in a row that are near the median as steady_range() has it:
// what comes before warms up. Nothing likewise.
std::optional<int64_t> warm_up_end(const Iterations& iterations);

}  // namespace dlview::aggregate
