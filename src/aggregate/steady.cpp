#include "aggregate/steady.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace dlview::aggregate {

std::vector<int64_t> durations_of(const Iterations& iterations) {
  std::vector<int64_t> durations;
  durations.reserve(iterations.rows.size());
  for (const Iteration& row : iterations.rows) durations.push_back(row.duration_ns());
  return durations;
}

int64_t median_of(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::vector<int64_t> distances_from(int64_t value, std::vector<int64_t> values) {
  for (int64_t& one : values) one = std::abs(one - value);
  return values;
}

std::optional<IterationRange> steady_range(const Iterations& iterations) {
  constexpr std::size_t kRun = 5;
  const std::size_t count = iterations.rows.size();
  if (count < 2 * kRun) return std::nullopt;

  std::vector<int64_t> durations = durations_of(iterations);
  const int64_t median = median_of(durations);
  const std::vector<int64_t> off_median = distances_from(median, std::move(durations));
  // A quarter of the median at most: a run that is more uneven than that is not steady anywhere.
  const int64_t tolerance = std::min(std::max(median / 10, 3 * median_of(off_median)), median / 4);
  const auto steady_from = [&](std::size_t first) {
    return std::all_of(off_median.begin() + static_cast<std::ptrdiff_t>(first),
                       off_median.begin() + static_cast<std::ptrdiff_t>(first + kRun),
                       [tolerance](int64_t off) { return off <= tolerance; });
  };
  std::size_t first = 0;
  while (first + kRun <= count && !steady_from(first)) ++first;
  if (first + kRun > count) return std::nullopt;
  std::size_t last = count - kRun;
  while (!steady_from(last)) --last;
  return IterationRange{static_cast<int64_t>(first), static_cast<int64_t>(last + kRun - 1)};
}

}  // namespace dlview::aggregate
