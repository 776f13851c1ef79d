#include "aggregate/exclusive/rounding.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace dlview::aggregate {
namespace {

Wide floor_of(Wide value, Wide denominator) {
  const Wide quotient = value / denominator;
  return value % denominator < 0 ? quotient - 1 : quotient;
}

}  // namespace

int64_t rounded_total(Wide total, Wide denominator) {
  if (total < 0) return -rounded_total(-total, denominator);
  const Wide down = total / denominator;
  const Wide rest = total % denominator;
  return static_cast<int64_t>(rest >= denominator - rest ? down + 1 : down);
}

std::vector<int64_t> rounded_parts(std::span<const Wide> parts, Wide denominator) {
  const Wide sum = std::accumulate(parts.begin(), parts.end(), Wide{0});
  const Wide sign = sum < 0 ? -1 : 1;
  std::vector<int64_t> rounded;
  std::vector<Wide> rest;
  int64_t missing = rounded_total(sum * sign, denominator);
  for (const Wide part : parts) {
    const Wide down = floor_of(part * sign, denominator);
    rounded.push_back(static_cast<int64_t>(down));
    rest.push_back(part * sign - down * denominator);
    missing -= rounded.back();
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
  // Fewer are missing than have a remainder: the total is rounded to the nearest.
  for (std::size_t i = 0; i < order.size() && missing > 0; ++i, --missing) ++rounded[order[i]];
  for (int64_t& ns : rounded) ns *= static_cast<int64_t>(sign);
  return rounded;
}

}  // namespace dlview::aggregate
