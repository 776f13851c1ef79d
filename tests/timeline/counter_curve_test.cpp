#include "timeline/counter_curve.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dlview::timeline {
namespace {

using Bounds = CounterCurve::Bounds;

TEST(CounterCurve, HoldsAValueUntilTheNext) {
  const std::vector<int64_t> times{10, 20, 20, 30};
  const std::vector<double> values{3, 100, 0.5, -2};
  const CounterCurve curve(times, values);
  EXPECT_EQ(curve.bounds({0, 9}), std::nullopt) << "before the first value";
  EXPECT_EQ(curve.bounds({0, 10}), (Bounds{3, 3}));
  EXPECT_EQ(curve.bounds({19, 19}), (Bounds{3, 3}));
  EXPECT_EQ(curve.bounds({20, 29}), (Bounds{0.5, 0.5})) << "of equal times the last";
  EXPECT_EQ(curve.bounds({19, 20}), (Bounds{0.5, 100}));
  EXPECT_EQ(curve.bounds({25, 30}), (Bounds{-2, 0.5}));
  EXPECT_EQ(curve.bounds({1000, 2000}), (Bounds{-2, -2})) << "to the end of the trace";
  EXPECT_EQ(curve.all(), (Bounds{-2, 100}));
}

TEST(CounterCurve, OfNoValuesIsUnknown) {
  EXPECT_EQ(CounterCurve({}, {}).bounds({0, 10}), std::nullopt);
}

std::optional<Bounds> slow_bounds(const std::vector<int64_t>& times,
                                  const std::vector<double>& values, const base::Interval& time) {
  std::optional<Bounds> all;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool holds_at_start =
        times[i] <= time.start_ns && (i + 1 == times.size() || times[i + 1] > time.start_ns);
    const bool is_inside = time.start_ns < times[i] && times[i] <= time.stop_ns;
    if (!holds_at_start && !is_inside) continue;
    if (!all) all = Bounds{values[i], values[i]};
    all = Bounds{std::min(all->least, values[i]), std::max(all->most, values[i])};
  }
  return all;
}

TEST(CounterCurve, GivesWhatReadingAllValuesGives) {
  std::mt19937_64 random(7);
  for (const std::size_t count : {1, 2, 17, 400, 3000}) {
    std::vector<int64_t> times(count);
    std::vector<double> values(count);
    for (int64_t& time : times) time = static_cast<int64_t>(random() % 1000);
    std::ranges::sort(times);
    std::uniform_real_distribution<double> value(-1e9, 1e9);
    for (double& each : values) each = random() % 4 == 0 ? 0 : value(random);
    const CounterCurve curve(times, values);
    for (int i = 0; i < 300; ++i) {
      const auto start = static_cast<int64_t>(random() % 1200) - 100;
      const base::Interval time{start, start + static_cast<int64_t>(random() % 300)};
      ASSERT_EQ(curve.bounds(time), slow_bounds(times, values, time))
          << count << " values, " << time.start_ns << " to " << time.stop_ns;
    }
  }
}

}  // namespace
}  // namespace dlview::timeline
