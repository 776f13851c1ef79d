#include "aggregate/steady.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "aggregate/aggregation.h"

namespace dlview::aggregate {
namespace {

Iterations of_durations(const std::vector<int64_t>& durations) {
  Iterations iterations;
  int64_t start_ns = 0;
  for (const int64_t duration : durations) {
    iterations.rows.push_back({start_ns, start_ns + duration});
    start_ns += duration + 1;
  }
  return iterations;
}

TEST(SteadyRange, LeavesOutWarmUpTailAndOutliers) {
  std::vector<int64_t> durations(40, 100);
  durations[0] = 900;
  durations[1] = 500;
  durations[15] = 700;
  durations[39] = 10;
  EXPECT_EQ(steady_range(of_durations(durations)), (IterationRange{16, 38}));
  durations[15] = 120;  // no outlier
  EXPECT_EQ(steady_range(of_durations(durations)), (IterationRange{2, 38}));
}

TEST(SteadyRange, IsTheLastOfTheLongest) {
  std::vector<int64_t> durations(41, 100);
  durations[20] = 700;
  EXPECT_EQ(steady_range(of_durations(durations)), (IterationRange{21, 40}));
}

TEST(SteadyRange, WarmUpEndsBeforeTheFirstRegularIterations) {
  std::vector<int64_t> durations(40, 100);
  durations[0] = durations[3] = 900;
  durations[20] = 700;
  EXPECT_EQ(warm_up_end(of_durations(durations)), 4);
  EXPECT_EQ(warm_up_end(of_durations({900, 100, 100})), std::nullopt);
}

TEST(SteadyRange, IsAsStrictAsTheRunIsEven) {
  std::vector<int64_t> even(40, 1000);
  even[0] = 1150;  // within 25%, and still warm-up in a run this even
  EXPECT_EQ(steady_range(of_durations(even)), (IterationRange{1, 39}));
  std::vector<int64_t> uneven;
  for (int i = 0; i < 40; ++i) uneven.push_back(1000 + 40 * (i % 5));
  uneven[0] = 1195;  // off by 115: more than 10%, less than three deviations of 40
  EXPECT_EQ(steady_range(of_durations(uneven)), (IterationRange{0, 39}));
}

TEST(SteadyRange, IsNotClaimedForAShortOrRestlessRun) {
  EXPECT_EQ(steady_range(of_durations({900, 100, 100})), std::nullopt);
  std::vector<int64_t> wild;
  for (int i = 0; i < 30; ++i) wild.push_back(i % 2 == 0 ? 10 : 1000);
  EXPECT_EQ(steady_range(of_durations(wild)), std::nullopt);
}

TEST(Median, IsThePercentileOfSortedValues) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int64_t> value(-20, 20);
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<int64_t> values(count);
    for (int64_t& one : values) one = value(random);
    const int64_t median = median_of(values);
    std::ranges::sort(values);
    EXPECT_EQ(median, percentile(values, 0.5)) << count;
  }
}

}  // namespace
}  // namespace dlview::aggregate
