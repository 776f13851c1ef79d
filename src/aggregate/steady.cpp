#include "aggregate/steady.h"

#include <algorithm>
#include <cmath>
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

namespace {

// The longest stretch between each two outliers, in order. Empty if the run is too short.
std::vector<IterationRange> steady_stretches(const Iterations& iterations) {
  std::vector<IterationRange> stretches;
  if (!is_long_enough(iterations)) return stretches;
  const SteadyRuns runs(iterations);
  std::vector<int64_t> outlying = outlying_iterations(iterations);
  outlying.push_back(std::ssize(iterations.rows));
  std::size_t begin = 0;
  for (const int64_t outlier : outlying) {
    const auto end = static_cast<std::size_t>(outlier);
    if (const auto found = runs.longest_in(begin, end)) stretches.push_back(*found);
    begin = end + 1;
  }
  return stretches;
}

// Of equally long ones the last.
std::optional<IterationRange> longest_of(const std::vector<IterationRange>& ranges) {
  std::optional<IterationRange> longest;
  for (const IterationRange& range : ranges) {
    if (!longest || range.size() >= longest->size()) longest = range;
  }
  return longest;
}

// The median of a stretch and its standard error, from the median absolute deviation for normal
// noise.
struct Level {
  double median = 0, error = 0;
};

Level level_of(const std::vector<int64_t>& durations, const IterationRange& range) {
  constexpr double kDeviation = 1.4826, kOfMedian = 1.2533;
  std::vector<int64_t> inside{durations.begin() + static_cast<std::ptrdiff_t>(range.first),
                              durations.begin() + static_cast<std::ptrdiff_t>(range.last + 1)};
  const auto count = static_cast<double>(inside.size());
  const int64_t median = median_of(inside);
  const int64_t deviation = median_of(distances_from(median, std::move(inside)));
  return {static_cast<double>(median),
          kOfMedian * kDeviation * static_cast<double>(deviation) / std::sqrt(count)};
}

bool agree(const Level& one, const Level& other) {
  constexpr double kShare = 0.02, kErrors = 3;
  const double limit = std::max(kShare * std::min(one.median, other.median),
                                kErrors * std::hypot(one.error, other.error));
  return std::abs(one.median - other.median) <= limit;
}

}  // namespace

std::optional<IterationRange> steady_range(const Iterations& iterations) {
  return longest_of(steady_stretches(iterations));
}

std::optional<IterationRange> joined_steady_range(const Iterations& iterations) {
  constexpr int64_t kEnough = 100;
  constexpr double kInStretches = 0.9;
  const std::vector<IterationRange> stretches = steady_stretches(iterations);
  const std::optional<IterationRange> longest = longest_of(stretches);
  if (!longest || longest->size() >= kEnough) return longest;
  const std::vector<int64_t> durations = durations_of(iterations);
  std::vector<IterationRange> joined;
  Level first, last;         // of the joined range's first and last stretch
  int64_t in_stretches = 0;  // of the joined range
  for (const IterationRange& stretch : stretches) {
    const Level level = level_of(durations, stretch);
    const auto share = [&] {
      return static_cast<double>(in_stretches + stretch.size()) /
             static_cast<double>(stretch.last - joined.back().first + 1);
    };
    // The first one, too: no drift in small steps.
    if (!joined.empty() && agree(level, last) && agree(level, first) && share() >= kInStretches) {
      joined.back().last = stretch.last;
      in_stretches += stretch.size();
    } else {
      joined.push_back(stretch);
      in_stretches = stretch.size();
      first = level;
    }
    last = level;
  }
  return longest_of(joined);
}

std::optional<int64_t> warm_up_end(const Iterations& iterations) {
  if (!is_long_enough(iterations)) return std::nullopt;
  const auto first = SteadyRuns(iterations).next(0, iterations.rows.size());
  return first ? std::optional(static_cast<int64_t>(*first)) : std::nullopt;
}

}  // namespace dlview::aggregate
