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

namespace {

constexpr std::size_t kRun = 5;

// Where five iterations in a row are near the median.
class SteadyRuns {
 public:
  explicit SteadyRuns(const Iterations& iterations) : off_median_(durations_of(iterations)) {
    const int64_t median = median_of(off_median_);
    off_median_ = distances_from(median, std::move(off_median_));
    // A quarter of the median at most: a run that is more uneven than that is not steady anywhere.
    tolerance_ = std::min(std::max(median / 10, 3 * median_of(off_median_)), median / 4);
  }

  bool begins_at(std::size_t first) const {
    return std::all_of(off_median_.begin() + static_cast<std::ptrdiff_t>(first),
                       off_median_.begin() + static_cast<std::ptrdiff_t>(first + kRun),
                       [this](int64_t off) { return off <= tolerance_; });
  }
  // The first place in [first, end), if there are enough iterations.
  std::optional<std::size_t> next(std::size_t first, std::size_t end) const {
    for (; first + kRun <= end; ++first) {
      if (begins_at(first)) return first;
    }
    return std::nullopt;
  }
  // The longest range in [first, end) that begins and ends with such a place.
  std::optional<IterationRange> longest_in(std::size_t first, std::size_t end) const {
    const std::optional<std::size_t> begin = next(first, end);
    if (!begin) return std::nullopt;
    std::size_t last = end - kRun;
    while (!begins_at(last)) --last;
    return IterationRange{static_cast<int64_t>(*begin), static_cast<int64_t>(last + kRun - 1)};
  }

 private:
  std::vector<int64_t> off_median_;
  int64_t tolerance_ = 0;
};

bool is_long_enough(const Iterations& iterations) {
  return iterations.rows.size() >= 2 * kRun;
}

}  // namespace

std::vector<int64_t> outlying_iterations(const Iterations& iterations) {
  const std::vector<int64_t> durations = durations_of(iterations);
  if (durations.size() < 2) return {};
  const int64_t median = median_of(durations);
  const std::vector<int64_t> deviations = distances_from(median, durations);
  const int64_t typical_deviation = median_of(deviations);
  std::vector<int64_t> outlying;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    if (deviations[i] * 4 <= median || deviations[i] <= 5 * typical_deviation) continue;
    outlying.push_back(static_cast<int64_t>(i));
  }
  return outlying;
}

std::optional<IterationRange> steady_range(const Iterations& iterations) {
  if (!is_long_enough(iterations)) return std::nullopt;
  const SteadyRuns runs(iterations);
  std::vector<int64_t> outlying = outlying_iterations(iterations);
  outlying.push_back(std::ssize(iterations.rows));
  std::optional<IterationRange> longest;
  std::size_t begin = 0;
  for (const int64_t outlier : outlying) {
    const auto end = static_cast<std::size_t>(outlier);
    const std::optional<IterationRange> found = runs.longest_in(begin, end);
    if (found && (!longest || found->size() >= longest->size())) longest = found;
    begin = end + 1;
  }
  return longest;
}

std::optional<int64_t> warm_up_end(const Iterations& iterations) {
  if (!is_long_enough(iterations)) return std::nullopt;
  const auto first = SteadyRuns(iterations).next(0, iterations.rows.size());
  return first ? std::optional(static_cast<int64_t>(*first)) : std::nullopt;
}

}  // namespace dlview::aggregate
