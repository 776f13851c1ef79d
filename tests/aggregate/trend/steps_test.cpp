#include "aggregate/trend/steps.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/trend/trend.h"

namespace dlview::aggregate {
namespace {

using Sequence = std::vector<double>;

// Captures of 30 ms that differ by 0.7%, as spec.md has it of real ones.
constexpr double kBetweenRuns = 0.007;

Sequence captures(std::mt19937_64& random, std::size_t count, double between = kBetweenRuns) {
  std::normal_distribution<double> factor(1, between);
  Sequence values(count);
  for (double& value : values) value = 30e6 * factor(random);
  return values;
}

Sequence slower_from(Sequence values, std::size_t at, double factor) {
  for (std::size_t i = at; i < values.size(); ++i) values[i] *= factor;
  return values;
}

double cost_of(const Sequence& values, const std::vector<TrendLevel>& levels, double penalty) {
  double cost = penalty * static_cast<double>(levels.size() - 1);
  for (const TrendLevel& level : levels) {
    for (std::size_t i = level.first; i < level.end; ++i) {
      cost += std::abs(values[i] - level.value);
    }
  }
  return cost;
}

// The slow twin: all ways to divide the sequence.
double least_cost(const Sequence& values, double penalty) {
  double least = std::numeric_limits<double>::infinity();
  for (uint32_t cuts = 0; cuts < 1U << (values.size() - 1); ++cuts) {
    double cost = 0;
    bool fits = true;
    for (std::size_t first = 0, end = 0; first < values.size(); first = end) {
      end = first + 1;
      while (end < values.size() && (cuts >> (end - 1) & 1U) == 0) ++end;
      fits = fits && end - first >= kFewestInLevel;
      Sequence level(values.begin() + static_cast<std::ptrdiff_t>(first),
                     values.begin() + static_cast<std::ptrdiff_t>(end));
      std::ranges::sort(level);
      for (const double value : level) cost += std::abs(value - level[level.size() / 2]);
      if (first > 0) cost += penalty;
    }
    if (fits) least = std::min(least, cost);
  }
  return least;
}

TEST(LevelFit, IsAsGoodAsAnyDivision) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    Sequence values(4 + random() % 8);
    for (double& value : values) value = static_cast<double>(random() % 20);
    const double penalty = static_cast<double>(random() % 12);
    const std::vector<TrendLevel> levels = fit_levels(values, penalty);
    EXPECT_NEAR(cost_of(values, levels, penalty), least_cost(values, penalty), 1e-9) << i;
    EXPECT_EQ(levels.front().first, 0U);
    EXPECT_EQ(levels.back().end, values.size());
    for (std::size_t l = 0; l < levels.size(); ++l) {
      EXPECT_GE(levels[l].size(), kFewestInLevel);
      EXPECT_EQ(levels[l].first, l == 0 ? 0 : levels[l - 1].end);
    }
  }
}

TEST(LevelFit, TakesTheFewestLevels) {
  EXPECT_EQ(fit_levels(Sequence(12, 7), 0).size(), 1U);
  EXPECT_EQ(fit_levels(Sequence{1, 1, 1}, 0).size(), 1U);
  EXPECT_TRUE(fit_levels(Sequence{}, 0).empty());
}

TEST(Steps, FindThePlaceAndTheSize) {
  std::mt19937_64 random(5);
  int found = 0, covered = 0;
  const int tries = 200;
  for (int i = 0; i < tries; ++i) {
    const std::size_t count = 16 + random() % 20, at = 5 + random() % (count - 10);
    const double factor = i % 2 == 0 ? 1.05 : 0.95;
    const StepFit steps = find_steps(slower_from(captures(random, count), at, factor));
    if (steps.steps.size() != 1 || steps.steps[0].at != at) continue;
    ++found;
    const TrendStep& step = steps.steps[0];
    EXPECT_NEAR(step.change(), factor - 1, 0.02);
    EXPECT_EQ(steps.levels.size(), 2U);
    if (step.interval.low <= factor - 1 && step.interval.high >= factor - 1) ++covered;
  }
  EXPECT_GT(found, tries * 95 / 100);
  EXPECT_GT(covered, found * 90 / 100);
}

TEST(Steps, FindTwoOfThem) {
  std::mt19937_64 random(7);
  Sequence values = slower_from(slower_from(captures(random, 30), 10, 1.06), 20, 0.93);
  const StepFit steps = find_steps(values);
  ASSERT_EQ(steps.steps.size(), 2U);
  EXPECT_EQ(steps.steps[0].at, 10U);
  EXPECT_EQ(steps.steps[1].at, 20U);
  EXPECT_GT(steps.steps[0].change(), 0);
  EXPECT_LT(steps.steps[1].change(), 0);
}

TEST(Steps, AreRareInUnchangedCaptures) {
  std::mt19937_64 random(11);
  for (const std::size_t count : {4U, 7U, 12U, 20U, 50U}) {
    int called = 0;
    for (int i = 0; i < 1000; ++i) {
      const StepFit steps = find_steps(captures(random, count));
      if (!steps.steps.empty() || steps.drift) ++called;
    }
    EXPECT_LT(called, 10) << count;
  }
}

TEST(Steps, AreRareInTwentyMetricsTogether) {
  std::mt19937_64 random(13);
  int called = 0;
  for (int i = 0; i < 200; ++i) {
    bool has_step = false;
    for (int metric = 0; metric < 20; ++metric) {
      has_step |= !find_steps(captures(random, 24), {.sequences = 20}).steps.empty();
    }
    called += has_step ? 1 : 0;
  }
  EXPECT_LT(called, 6);
}

// Anywhere, and also as the last capture, after which nothing shows whether it stays.
TEST(Steps, OneOutlierIsNone) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 100; ++i) {
    Sequence values = captures(random, 6 + random() % 20);
    const std::size_t at = i % 3 == 0 ? values.size() - 1 : random() % values.size();
    values[at] *= i % 2 == 0 ? 1.3 : 0.7;
    EXPECT_TRUE(find_steps(values).steps.empty()) << i;
  }
}

TEST(Steps, TwoCapturesMakeALevel) {
  std::mt19937_64 random(19);
  const Sequence values = slower_from(captures(random, 20, 0.002), 18, 1.1);
  const StepFit steps = find_steps(values);
  ASSERT_EQ(steps.steps.size(), 1U);
  EXPECT_EQ(steps.steps[0].at, 18U);
}

// Near misses: a slow drift, and a change within what captures differ by.
TEST(Steps, DriftIsNone) {
  std::mt19937_64 random(23);
  int stepped = 0, drifted = 0;
  for (int i = 0; i < 100; ++i) {
    Sequence values = captures(random, 30, 0.004);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] *= 1 + 0.002 * static_cast<double>(k);
    const StepFit steps = find_steps(values);
    stepped += steps.steps.empty() ? 0 : 1;
    drifted += steps.drift.has_value() ? 1 : 0;
    EXPECT_NEAR(steps.drift.value_or(0.058), 0.058, 0.02);
  }
  EXPECT_LE(stepped, 5);
  EXPECT_GE(drifted, 90);
}

TrendCapture capture_of(int number, std::vector<std::optional<TrendValue>> values,
                        std::string break_reason = "") {
  TrendCapture capture;
  capture.label = "c" + std::to_string(number);
  capture.break_reason = std::move(break_reason);
  capture.values = std::move(values);
  return capture;
}

// A steady slope makes neighbors differ, which is no noise, however few or many captures there are.
TEST(Steps, SteadySlopeIsADrift) {
  std::mt19937_64 random(24);
  for (const std::size_t count : {4U, 6U, 8U, 12U, 20U}) {
    int drifted = 0;
    for (int i = 0; i < 50; ++i) {
      Sequence values = captures(random, count, 0.004);
      for (std::size_t k = 0; k < count; ++k) {
        values[k] *= 1 + 0.22 * static_cast<double>(k) / static_cast<double>(count - 1);
      }
      const StepFit fit = find_steps(values);
      drifted += fit.drift && std::abs(*fit.drift - 0.22) < 0.03 ? 1 : 0;
      EXPECT_TRUE(fit.steps.empty());
    }
    EXPECT_GE(drifted, 48) << count;
  }
  EXPECT_FALSE(find_steps(slower_from(captures(random, 12), 6, 1.22)).drift);
}

TEST(Trend, OfADriftNoCaptureStandsOut) {
  std::vector<TrendCapture> all;
  for (int i = 0; i < 9; ++i) {
    all.push_back(capture_of(i, {TrendValue{100}, TrendValue{100.0 * std::pow(1.025, i)}}));
  }
  const Trend trend = make_trend({{"a", "A"}, {"b", "B"}}, all);
  EXPECT_EQ(trend.metric_of(trend.series[0]).title, "B") << "as the largest step comes first";
  const TrendLine& line = trend.series[0].lines[0];
  EXPECT_TRUE(line.standouts.empty());
  EXPECT_EQ(drift_text(line), "drift of +21.8% over 9 captures");
  EXPECT_TRUE(is_drift_worse(trend.metrics[1], line));
}

TEST(Steps, StayWithinTheAssumedFloor) {
  std::mt19937_64 random(29);
  // Captures that happen to agree do not teach a floor: they are too few.
  EXPECT_TRUE(find_steps(slower_from(captures(random, 6, 0.0001), 3, 1.015)).steps.empty());
  EXPECT_EQ(find_steps(slower_from(captures(random, 6, 0.0001), 3, 1.06)).steps.size(), 1U);
  // Many do.
  EXPECT_EQ(find_steps(slower_from(captures(random, 24, 0.001), 12, 1.015)).steps.size(), 1U);
}

// Launches repeat exactly: one more is a step.
TEST(Steps, CountsNeedNoFloor) {
  const Sequence launches{1000, 1000, 1000, 1001, 1001};
  const StepFit exact = find_steps(launches, {.is_count = true});
  ASSERT_EQ(exact.steps.size(), 1U);
  EXPECT_EQ(exact.steps[0].at, 3U);
  EXPECT_TRUE(find_steps(launches).steps.empty());
  EXPECT_TRUE(find_steps(Sequence{1000, 1003, 999, 1001, 1004}, {.is_count = true}).steps.empty());
}

TEST(Steps, NeedFourValues) {
  EXPECT_TRUE(find_steps(Sequence{1, 2, 2}).steps.empty());
  EXPECT_TRUE(find_steps(Sequence{}).levels.empty());
  EXPECT_EQ(find_steps(Sequence{-1, -1, 5, 5, 5}).levels.size(), 1U);
}

// Communication that was hidden before; what comes and goes near 0 is none.
TEST(Steps, BeginAtZero) {
  const StepFit steps = find_steps(Sequence{0, 0, 0, 5e6, 5.1e6});
  ASSERT_EQ(steps.steps.size(), 1U);
  EXPECT_EQ(steps.steps[0].at, 3U);
  EXPECT_TRUE(std::isinf(steps.steps[0].change()));
  const StepFit back = find_steps(Sequence{5e6, 5.1e6, 0, 0, 0});
  ASSERT_EQ(back.steps.size(), 1U);
  EXPECT_EQ(back.steps[0].change(), -1);
  EXPECT_TRUE(find_steps(Sequence{0, 900, 0, 0, 400, 700, 5e6, 0, 300}).steps.empty());
  EXPECT_TRUE(find_steps(Sequence(9, 0.0)).steps.empty());
}

TEST(Steps, MirrorWithTheSequence) {
  std::mt19937_64 random(31);
  for (int i = 0; i < 50; ++i) {
    const Sequence values = slower_from(captures(random, 20), 9, 1.06);
    Sequence mirrored(values.rbegin(), values.rend());
    const StepFit there = find_steps(values), back = find_steps(mirrored);
    ASSERT_EQ(there.steps.size(), back.steps.size());
    for (std::size_t s = 0; s < there.steps.size(); ++s) {
      const TrendStep& other = back.steps[there.steps.size() - 1 - s];
      EXPECT_EQ(there.steps[s].at, values.size() - other.at);
      EXPECT_NEAR((1 + there.steps[s].change()) * (1 + other.change()), 1, 1e-9);
    }
  }
}

std::vector<TrendValue> values_of(const Sequence& values, double half = 0) {
  std::vector<TrendValue> result;
  for (const double value : values) {
    result.push_back({value, value * (1 - half), value * (1 + half)});
  }
  return result;
}

std::vector<std::size_t> standing(const Sequence& values, const StepOptions& options = {},
                                  double half = 0) {
  std::vector<std::size_t> places;
  const StepFit fit = find_steps(values, options);
  for (const auto& one : find_standouts(values_of(values, half), fit.levels, options)) {
    places.push_back(one.at);
  }
  return places;
}

// The fourth of five is 11% slower; so is the newest of nine.
TEST(Standouts, AreNamedWhereverTheyAre) {
  EXPECT_THAT(standing({80.8, 80.5, 81.0, 90.3, 80.6}, {}, 0.001), ::testing::ElementsAre(3));
  const Sequence nights{80.8, 80.5, 81.0, 80.3, 80.6, 80.9, 80.4, 80.7, 90.1};
  EXPECT_THAT(standing(nights, {}, 0.001), ::testing::ElementsAre(8));
  EXPECT_THAT(standing(nights, {.sequences = 20}, 0.001), ::testing::ElementsAre(8));
  const auto found = find_standouts(values_of(nights), find_steps(nights).levels);
  EXPECT_NEAR(found[0].usual, 80.65, 1e-9);
  EXPECT_NEAR(found[0].change(), 90.1 / 80.65 - 1, 1e-9);
}

// One does not hide the other.
TEST(Standouts, TwoAreFoundTogether) {
  EXPECT_THAT(standing({80.8, 90.3, 81.0, 80.3, 80.6, 80.9, 80.4, 80.7, 90.1}),
              ::testing::ElementsAre(1, 8));
}

TEST(Standouts, NeedTheWholeInterval) {
  const Sequence values{80.8, 80.5, 81.0, 90.3, 80.6};
  EXPECT_TRUE(standing(values, {}, 0.1).empty());
}

// Whatever the noise: also where captures differ by more than is assumed.
TEST(Standouts, AreRareInUnchangedCaptures) {
  std::mt19937_64 random(37);
  for (const double between : {0.007, 0.02, 0.1}) {
    for (const std::size_t count : {4U, 5U, 9U, 20U}) {
      int called = 0;
      for (int i = 0; i < 4000; ++i) {
        Sequence values(count);
        std::normal_distribution<double> factor(0, between);
        for (double& value : values) value = 30e6 * std::exp(factor(random));
        const TrendLevel whole{0, count, 30e6};
        called += find_standouts(values_of(values), std::span(&whole, 1)).empty() ? 0 : 1;
      }
      EXPECT_LT(called, 40) << count << " at " << between;
    }
  }
}

TEST(Standouts, AreRareInTwentyMetricsTogether) {
  std::mt19937_64 random(41);
  for (const double between : {0.007, 0.05}) {
    int called = 0;
    for (int i = 0; i < 500; ++i) {
      bool has_one = false;
      for (int metric = 0; metric < 20; ++metric) {
        has_one |= !standing(captures(random, 9, between), {.sequences = 20}).empty();
      }
      called += has_one ? 1 : 0;
    }
    EXPECT_LT(called, 5) << between;
  }
}

// A step is none, and a level of two or three shows none.
TEST(Standouts, BelongToALevel) {
  EXPECT_TRUE(standing({80, 80.1, 80, 80.1, 90, 90.1, 90, 90.1}).empty());
  EXPECT_THAT(standing({80, 80.1, 80, 80.1, 80.1, 90, 90.1, 99.9, 90.1, 90}),
              ::testing::ElementsAre(7));
  EXPECT_TRUE(standing({80, 80, 90}).empty());
  EXPECT_TRUE(standing({0, 0, 0, 0, 0}).empty());
  EXPECT_TRUE(find_standouts({}, {}).empty());
}

TEST(Standouts, RiseFromZero) {
  const Sequence values{0, 0, 5e6, 0, 0};
  ASSERT_THAT(standing(values), ::testing::ElementsAre(2));
  EXPECT_TRUE(
      std::isinf(find_standouts(values_of(values), find_steps(values).levels).front().change()));
}

TEST(Trend, BeginsALineWhereCapturesDiffer) {
  std::vector<TrendCapture> all;
  for (int i = 0; i < 12; ++i) {
    all.push_back(capture_of(i, {TrendValue{i < 6 ? 100.0 : 200.0}}, i == 6 ? "GPU differs" : ""));
  }
  const Trend trend = make_trend({{"iteration_duration", "Iteration"}}, all);
  ASSERT_EQ(trend.series.size(), 1U);
  ASSERT_EQ(trend.series[0].lines.size(), 2U);
  EXPECT_EQ(trend.series[0].step_count(), 0U);
  all[6].break_reason.clear();
  EXPECT_EQ(make_trend({{"iteration_duration", "Iteration"}}, all).series[0].step_count(), 1U);
}

TEST(Trend, PutsTheLargestStepFirst) {
  std::vector<TrendCapture> all;
  for (int i = 0; i < 8; ++i) {
    const double late = i < 4 ? 0 : 1;
    all.push_back(
        capture_of(i, {TrendValue{100 + 10 * late}, std::nullopt, TrendValue{100 + 30 * late}}));
  }
  const Trend trend = make_trend({{"a", "A"}, {"b", "B"}, {"c", "C", Unit::ns, false}}, all);
  ASSERT_EQ(trend.series.size(), 2U);  // no capture has B
  EXPECT_EQ(trend.metric_of(trend.series[0]).title, "C");
  const TrendLine& line = trend.series[0].lines[0];
  const std::string text = step_text(trend, line, line.steps.steps[0]);
  EXPECT_THAT(text, ::testing::StartsWith("+30.0% ("));
  EXPECT_THAT(text, ::testing::EndsWith(") at c4"));
  EXPECT_FALSE(is_worse(trend.metrics[2], line.steps.steps[0]));  // more is better
  EXPECT_TRUE(is_worse(trend.metrics[0], line.steps.steps[0]));
}

TEST(Trend, NamesTheCaptureThatStandsOut) {
  std::vector<TrendCapture> all;
  const Sequence iterations{80.8, 80.5, 81.0, 90.3, 80.6}, idle{5, 5.01, 5.02, 9, 5};
  for (std::size_t i = 0; i < 5; ++i) {
    all.push_back(capture_of(static_cast<int>(i) + 1,
                             {TrendValue{iterations[i]}, TrendValue{7}, TrendValue{idle[i]}}));
  }
  const Trend trend = make_trend({{"a", "A"}, {"b", "B"}, {"c", "C"}}, all);
  EXPECT_EQ(trend.metric_of(trend.series[0]).title, "C") << "it stands out most";
  EXPECT_EQ(trend.metric_of(trend.series[1]).title, "A");
  const std::vector<StandingCapture> found = standing_captures(trend);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].capture, 3U);
  EXPECT_EQ(found[0].metrics, 2U);
  EXPECT_EQ(trend.metric_of(*found[0].series).title, "A") << "the first metric goes first";
  EXPECT_EQ(standout_text(trend, *found[0].line, *found[0].standout), "c4 stands out: +11.9%");
  EXPECT_TRUE(is_worse(trend.metrics[0], *found[0].standout));
}

// A capture that lacks a metric keeps the places of the others.
TEST(Trend, SkipsCapturesWithoutAValue) {
  std::vector<TrendCapture> all;
  for (int i = 0; i < 9; ++i) {
    all.push_back(
        capture_of(i, {i == 2 ? std::optional<TrendValue>() : TrendValue{i < 5 ? 100.0 : 120.0}}));
  }
  const Trend trend = make_trend({{"a", "A"}}, all);
  const TrendLine& line = trend.series[0].lines[0];
  ASSERT_EQ(line.steps.steps.size(), 1U);
  EXPECT_EQ(line.capture_of(line.steps.steps[0]), 5U);
}

}  // namespace
}  // namespace dlview::aggregate
