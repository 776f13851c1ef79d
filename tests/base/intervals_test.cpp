#include "base/intervals.h"

#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::base {
namespace {

// The slow twin: a flag for every ns of a small line.
class PaintedLine {
 public:
  void paint(const std::vector<Interval>& intervals) {
    for (const Interval& interval : intervals) {
      for (int64_t t = interval.start_ns; t < interval.stop_ns; ++t) covered_[index(t)] = true;
    }
  }
  void erase(const PaintedLine& other) {
    for (std::size_t i = 0; i < covered_.size(); ++i) {
      if (other.covered_[i]) covered_[i] = false;
    }
  }
  int64_t count(int64_t start_ns, int64_t stop_ns) const {
    int64_t sum = 0;
    for (int64_t t = start_ns; t < stop_ns; ++t) sum += covered_[index(t)] ? 1 : 0;
    return sum;
  }

 private:
  static std::size_t index(int64_t t) { return static_cast<std::size_t>(t + 50); }
  std::vector<bool> covered_ = std::vector<bool>(300);
};

std::vector<Interval> random_intervals(std::mt19937& random) {
  std::vector<Interval> intervals(random() % 12);
  for (Interval& interval : intervals) {
    interval.start_ns = static_cast<int64_t>(random() % 180) - 40;
    interval.stop_ns = interval.start_ns + static_cast<int64_t>(random() % 30) - 4;
  }
  return intervals;
}

TEST(IntervalSet, MergesOverlappingAndTouchingIntervals) {
  const IntervalSet set = IntervalSet::union_of({{5, 8}, {0, 2}, {2, 4}, {6, 10}});
  EXPECT_THAT(set.intervals(), ::testing::ElementsAre(Interval{0, 4}, Interval{5, 10}));
  EXPECT_EQ(set.total_ns(), 9);
}

TEST(IntervalSet, IgnoresEmptyAndReversedIntervals) {
  EXPECT_TRUE(IntervalSet::union_of({{3, 3}, {9, 4}}).empty());
  EXPECT_EQ(IntervalSet().total_ns(), 0);
  EXPECT_EQ(IntervalSet().covered_ns(0, 100), 0);
}

TEST(IntervalSet, CoversNothingOfAReversedRange) {
  EXPECT_EQ(IntervalSet::union_of({{0, 10}}).covered_ns(8, 2), 0);
}

TEST(IntervalSet, AgreesWithAPaintedLineOnRandomSets) {
  std::mt19937 random(20261120);
  for (int round = 0; round < 500; ++round) {
    const std::vector<Interval> a = random_intervals(random), b = random_intervals(random);
    PaintedLine line_a, line_b, line_either, line_rest;
    line_a.paint(a);
    line_b.paint(b);
    line_either.paint(a);
    line_either.paint(b);
    line_rest.paint(a);
    line_rest.erase(line_b);
    const IntervalSet set_a = IntervalSet::union_of(a), set_b = IntervalSet::union_of(b);
    const int64_t start = static_cast<int64_t>(random() % 200) - 45;
    const int64_t stop = start + static_cast<int64_t>(random() % 90);
    ASSERT_EQ(set_a.covered_ns(start, stop), line_a.count(start, stop)) << "round " << round;
    ASSERT_EQ(set_a.united_with(set_b).covered_ns(start, stop), line_either.count(start, stop));
    ASSERT_EQ(set_a.without(set_b).covered_ns(start, stop), line_rest.count(start, stop));
    ASSERT_EQ(set_a.without(set_b).total_ns(), line_rest.count(-50, 250));
  }
}

}  // namespace
}  // namespace dlview::base
