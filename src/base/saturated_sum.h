// Adds untrusted values from a file without overflow. Times are bounded on import; sizes are not.
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
