// Sets of half-open time intervals [start, stop) in int64 ns. A set is kept as sorted, disjoint,
// non-touching intervals with a running total, so that "how much of [a, b) is covered" costs two
// binary searches however many intervals there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_memory.h"

namespace dlview::base {

struct Interval {
  int64_t start_ns = 0;
  int64_t stop_ns = 0;
  bool operator==(const Interval&) const = default;
};

class IntervalSet {
 public:
  IntervalSet() = default;

  // The union of any intervals, in any order; empty and reversed ones (stop <= start) add nothing.
  static IntervalSet union_of(std::vector<Interval> intervals);
  // As union_of(), for intervals in order of their start.
  static IntervalSet union_of_sorted(std::span<const Interval> intervals);

  // The union of two sets, and what is in this set but not in `other`; linear in the sizes.
  IntervalSet united_with(const IntervalSet& other) const;
  IntervalSet without(const IntervalSet& other) const;

  // Covered ns in the whole set, and in [start_ns, stop_ns); 0 for a reversed range.
  int64_t total_ns() const;
  int64_t covered_ns(int64_t start_ns, int64_t stop_ns) const;

  std::size_t size() const { return intervals_.size(); }
  bool empty() const { return intervals_.empty(); }
  std::span<const Interval> intervals() const { return intervals_; }
  bool operator==(const IntervalSet& other) const { return intervals_ == other.intervals_; }

 private:
  explicit IntervalSet(LargeVector<Interval> sorted_disjoint);
  // Covered ns in (-inf, time_ns).
  int64_t covered_before_ns(int64_t time_ns) const;

  LargeVector<Interval> intervals_;
  LargeVector<int64_t> covered_before_;  // covered ns before intervals_[i]
};

}  // namespace dlview::base
