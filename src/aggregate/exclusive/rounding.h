// Rounds fractions of ns with one denominator so that shown parts have the shown sum: the parts of
// a waterfall over one run or two, and the parts of a mean iteration.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dlview::aggregate {

// 128 bits: sums over a range times iterations and GPUs of another run.
__extension__ using Wide = __int128;

// Returns total / denominator in whole ns, to the nearest, halves away from 0. denominator > 0.
int64_t rounded_total(Wide total, Wide denominator);

// Returns each part / denominator in whole ns. Together they are rounded_total() of their sum:
// all are rounded down, and what is missing goes to the largest remainders, of equal ones to the
// first. If the sum is negative, the parts are rounded as the negative of their opposites.
// Each is less than 1 ns away from its exact value. denominator > 0.
std::vector<int64_t> rounded_parts(std::span<const Wide> parts, Wide denominator);

}  // namespace dlview::aggregate
