#include "base/intervals.h"

#include <algorithm>
#include <utility>

namespace dlview::base {
namespace {

// Appends in order of start; overlapping and touching intervals grow the last one.
void append_merged(LargeVector<Interval>& merged, const Interval& interval) {
  if (interval.stop_ns <= interval.start_ns) return;
  if (!merged.empty() && interval.start_ns <= merged.back().stop_ns) {
    merged.back().stop_ns = std::max(merged.back().stop_ns, interval.stop_ns);
  } else {
    merged.push_back(interval);
  }
}

// A function object, which sorting inlines.
constexpr auto starts_earlier = [](const Interval& a, const Interval& b) {
  return a.start_ns < b.start_ns;
};

}  // namespace

IntervalSet::IntervalSet(LargeVector<Interval> sorted_disjoint)
    : intervals_(std::move(sorted_disjoint)) {
  covered_before_.reserve(intervals_.size());
  int64_t covered_ns = 0;
  for (const Interval& interval : intervals_) {
    covered_before_.push_back(covered_ns);
    covered_ns += interval.stop_ns - interval.start_ns;
  }
}

IntervalSet IntervalSet::union_of(std::vector<Interval> intervals) {
  if (!std::is_sorted(intervals.begin(), intervals.end(), starts_earlier)) {
    std::sort(intervals.begin(), intervals.end(), starts_earlier);
  }
  return union_of_sorted(intervals);
}

IntervalSet IntervalSet::union_of_sorted(std::span<const Interval> intervals) {
  LargeVector<Interval> merged;
  for (const Interval& interval : intervals) append_merged(merged, interval);
  return IntervalSet(std::move(merged));
}

IntervalSet IntervalSet::united_with(const IntervalSet& other) const {
  LargeVector<Interval> merged;
  merged.reserve(intervals_.size() + other.intervals_.size());
  std::size_t a = 0, b = 0;
  while (a < intervals_.size() || b < other.intervals_.size()) {
    const bool take_a =
        b == other.intervals_.size() ||
        (a < intervals_.size() && !starts_earlier(other.intervals_[b], intervals_[a]));
    append_merged(merged, take_a ? intervals_[a++] : other.intervals_[b++]);
  }
  return IntervalSet(std::move(merged));
}

IntervalSet IntervalSet::without(const IntervalSet& other) const {
  LargeVector<Interval> rest;
  rest.reserve(intervals_.size());
  std::size_t hole = 0;
  for (Interval interval : intervals_) {
    while (hole < other.intervals_.size() && other.intervals_[hole].stop_ns <= interval.start_ns) {
      ++hole;
    }
    for (std::size_t i = hole; i < other.intervals_.size(); ++i) {
      const Interval& cut = other.intervals_[i];
      if (cut.start_ns >= interval.stop_ns) break;
      if (cut.start_ns > interval.start_ns) rest.push_back({interval.start_ns, cut.start_ns});
      interval.start_ns = cut.stop_ns;
      if (interval.start_ns >= interval.stop_ns) break;
    }
    if (interval.start_ns < interval.stop_ns) rest.push_back(interval);
  }
  return IntervalSet(std::move(rest));
}

int64_t IntervalSet::total_ns() const {
  if (intervals_.empty()) return 0;
  return covered_before_.back() + intervals_.back().stop_ns - intervals_.back().start_ns;
}

int64_t IntervalSet::covered_before_ns(int64_t time_ns) const {
  const auto after = std::upper_bound(
      intervals_.begin(), intervals_.end(), time_ns,
      [](int64_t time, const Interval& interval) { return time < interval.start_ns; });
  if (after == intervals_.begin()) return 0;
  const auto i = static_cast<std::size_t>(after - intervals_.begin()) - 1;
  return covered_before_[i] + std::min(time_ns, intervals_[i].stop_ns) - intervals_[i].start_ns;
}

int64_t IntervalSet::covered_ns(int64_t start_ns, int64_t stop_ns) const {
  if (stop_ns <= start_ns) return 0;
  return covered_before_ns(stop_ns) - covered_before_ns(start_ns);
}

}  // namespace dlview::base
