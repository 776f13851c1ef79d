#include "aggregate/limits/sample_curve.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dlview::aggregate {
namespace {

using Summary = SampleCurve::Summary;

TEST(SampleCurve, CountsSamplesBehindTheStart) {
  const std::vector<int64_t> times{-10, 0, 10, 10, 20};
  const std::vector<double> values{1, 2, 4, 8, 16};
  const SampleCurve curve(times, values);
  EXPECT_EQ(curve.in({0, 20}), (SampleRange{2, 5})) << "that at the start is of the time before";
  EXPECT_EQ(curve.in({-11, -10}), (SampleRange{0, 1}));
  EXPECT_EQ(curve.in({20, 100}), (SampleRange{5, 5}));
  EXPECT_EQ(curve.in({INT64_MIN, INT64_MAX}), (SampleRange{0, 5}));
  EXPECT_EQ(curve.of({1, 4}), (Summary{2, 8, 14}));
  EXPECT_EQ(curve.period_ns(), 10);
}

TEST(SampleCurve, OfNoSamplesHasNone) {
  const SampleCurve curve({}, {});
  EXPECT_EQ(curve.in({0, 10}).size(), 0U);
  EXPECT_EQ(curve.period_ns(), 0);
}

TEST(SampleCurve, GivesWhatReadingAllSamplesGives) {
  std::mt19937_64 random(11);
  for (const std::size_t count : {1, 2, 15, 16, 17, 255, 256, 257, 4096, 5000, 70'000}) {
    std::vector<int64_t> times(count);
    std::vector<double> values(count);
    int64_t now = -500;
    for (std::size_t i = 0; i < count; ++i) {
      times[i] = now += static_cast<int64_t>(random() % 5);
      values[i] = static_cast<double>(random() % 101);
    }
    const SampleCurve curve(times, values);
    for (int i = 0; i < 300; ++i) {
      std::size_t first = random() % count, end = random() % count;
      if (first > end) std::swap(first, end);
      ++end;
      Summary slow{values[first], values[first], 0};
      for (std::size_t k = first; k < end; ++k) {
        slow = {std::min(slow.least, values[k]), std::max(slow.most, values[k]),
                slow.sum + values[k]};
      }
      ASSERT_EQ(curve.of({first, end}), slow) << count << ": " << first << " to " << end;
      const int64_t time = times[0] - 3 + static_cast<int64_t>(random() % (2 * count + 10));
      const auto until = static_cast<std::size_t>(
          std::ranges::count_if(times, [&](int64_t each) { return each <= time; }));
      ASSERT_EQ(curve.until(time), until);
      ASSERT_EQ(curve.until(time, random() % (count + 3)), until) << "from any place";
    }
  }
}

TEST(SampleCurve, TakesTheMedianPeriod) {
  std::vector<int64_t> times;
  for (int64_t i = 0; i < 10'000; ++i) times.push_back(i < 1000 ? i * 165 : 165'000 + i * 102);
  const std::vector<double> values(times.size());
  EXPECT_EQ(SampleCurve(times, values).period_ns(), 102);
}

}  // namespace
}  // namespace dlview::aggregate
