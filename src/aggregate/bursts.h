// Whether something happens several times in short succession, then pauses: an op that runs four
// times in each step cuts the run into quarters of steps.
#pragma once

#include <cstdint>
#include <vector>

namespace dlview::aggregate {

inline constexpr int64_t kLongestBurst = 16;

// How many starts follow each other before a pause of more than four times the median distance, if
// at least three bursts, and four of five, are of that one size; else 1. `starts_ns` ascend.
int64_t burst_size(const std::vector<int64_t>& starts_ns);

}  // namespace dlview::aggregate
