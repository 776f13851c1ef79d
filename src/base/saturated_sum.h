// A sum of numbers that a file states, whatever it states: sizes are not bounded as times are.
#pragma once

#include <cstdint>
#include <limits>

namespace dlview::base {

// a + b, or the nearest number there is.
constexpr int64_t saturated_sum(int64_t a, int64_t b) {
  using Limits = std::numeric_limits<int64_t>;
  if (b > 0 && a > Limits::max() - b) return Limits::max();
  if (b < 0 && a < Limits::min() - b) return Limits::min();
  return a + b;
}

}  // namespace dlview::base
