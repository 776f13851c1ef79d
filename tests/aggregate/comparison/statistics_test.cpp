#include "aggregate/comparison/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/steady.h"

namespace dlview::aggregate {
namespace {

using Values = std::vector<int64_t>;

// U of each pair of values, without ranks.
double u_of(const Values& before, const Values& after) {
  double u = 0;
  for (const int64_t b : before) {
    for (const int64_t a : after) u += b > a ? 1 : b == a ? 0.5 : 0;
  }
  return u;
}

// P by all ways to divide the values.
double enumerated_p(const Values& before, const Values& after) {
  Values all = before;
  all.insert(all.end(), after.begin(), after.end());
  const double expected = static_cast<double>(before.size() * after.size()) / 2;
  const double seen = std::abs(u_of(before, after) - expected);
  double extreme = 0, whole = 0;
  for (uint32_t chosen = 0; chosen < 1U << all.size(); ++chosen) {
    Values some, rest;
    for (std::size_t i = 0; i < all.size(); ++i) {
      ((chosen >> i & 1U) == 1 ? some : rest).push_back(all[i]);
    }
    if (some.size() != before.size()) continue;
    ++whole;
    if (std::abs(u_of(some, rest) - expected) >= seen - 1e-9) ++extreme;
  }
  return extreme / whole;
}

Values noisy(std::mt19937_64& random, std::size_t count, double mean, double spread) {
  std::normal_distribution<double> value(mean, spread * mean);
  Values values(count);
  for (int64_t& v : values) v = std::llround(value(random));
  return values;
}

TEST(MannWhitney, IsExactForFewValues) {
  EXPECT_NEAR(mann_whitney_p(Values{1, 2, 3, 4}, Values{5, 6, 7, 8}), 2.0 / 70, 1e-12);
  EXPECT_NEAR(mann_whitney_p(Values{1, 2, 3, 4, 5}, Values{6, 7, 8, 9, 10}), 2.0 / 252, 1e-12);
  std::mt19937_64 random(7);
  for (int i = 0; i < 40; ++i) {
    Values before(1 + random() % 6), after(1 + random() % 6);
    for (int64_t& v : before) v = static_cast<int64_t>(random() % 9);
    for (int64_t& v : after) v = static_cast<int64_t>(random() % 9);
    EXPECT_NEAR(mann_whitney_p(before, after), enumerated_p(before, after), 1e-9) << i;
  }
}

TEST(MannWhitney, ApproximationMeetsExactValues) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 20; ++i) {
    const Values before = noisy(random, 20, 1e6, 0.01), after = noisy(random, 20, 1.005e6, 0.01);
    Values longer = after;
    longer.push_back(median_of(after));  // 21 a side
    EXPECT_NEAR(mann_whitney_p(before, longer), mann_whitney_p(before, after),
                0.02 + 0.2 * mann_whitney_p(before, after));
  }
}

TEST(MannWhitney, CallsEqualValuesAlike) {
  EXPECT_EQ(mann_whitney_p(Values(50, 3), Values(40, 3)), 1);
  EXPECT_EQ(mann_whitney_p(Values(5, 3), Values(4, 3)), 1);
  EXPECT_EQ(mann_whitney_p({}, Values{1}), 1);
}

TEST(MannWhitney, IsTheSameWhenSwapped) {
  std::mt19937_64 random(13);
  for (const std::size_t count : {6U, 19U, 64U}) {
    const Values before = noisy(random, count, 1000, 0.02), after = noisy(random, 31, 1010, 0.02);
    EXPECT_DOUBLE_EQ(mann_whitney_p(before, after), mann_whitney_p(after, before));
  }
}

// scipy.stats.false_discovery_control of the same values has these.
TEST(FalseDiscovery, RanksEachP) {
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005, 0.8};
  EXPECT_THAT(false_discovery_rates(p),
              ::testing::Pointwise(::testing::DoubleNear(1e-12), {0.025, 0.05, 0.05, 0.025, 0.8}));
}

TEST(Quantiles, MatchTables) {
  EXPECT_NEAR(normal_quantile(0.025), 1.959964, 1e-6);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-9);
  EXPECT_NEAR(normal_quantile(0.9), -1.281552, 1e-6);
  EXPECT_NEAR(t_quantile(0.025, 1), 12.7062, 1e-4);
  EXPECT_NEAR(t_quantile(0.005, 2), 9.9248, 1e-4);
  EXPECT_NEAR(t_quantile(0.025, 9), 2.2622, 1e-4);
  EXPECT_NEAR(t_quantile(0.01, 30), 2.4573, 1e-4);
}

TEST(SerialCorrelation, TellsNeighborsFromNoise) {
  std::mt19937_64 random(17);
  EXPECT_NEAR(serial_correlation(noisy(random, 4000, 1e6, 0.01)), 0, 0.05);
  Values walk(4000);
  double level = 0;
  std::normal_distribution<double> step(0, 1);
  for (int64_t& v : walk) v = std::llround((level = 0.8 * level + step(random)) * 1000);
  EXPECT_NEAR(serial_correlation(walk), 0.8, 0.05);
  EXPECT_EQ(serial_correlation(Values(9, 4)), 0);
}

TEST(Trend, FindsSlowDrift) {
  std::mt19937_64 random(19);
  Values values = noisy(random, 200, 1e6, 0.01);
  EXPECT_GT(trend_p(values), 0.01);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<int64_t>(i) * 100;
  EXPECT_LT(trend_p(values), 1e-6);
  EXPECT_EQ(trend_p(Values(50, 7)), 1);
}

// The draws of one resample, the slow way: values are drawn and sorted.
TEST(BlockResampler, MediansAreThoseOfDrawnValues) {
  std::mt19937_64 random(23);
  for (const std::size_t count : {10U, 11U, 58U, 200U}) {
    const BlockResampler resampler(count);
    // How often each iteration was drawn shows in the median of values that are 1 for it and those
    // before it.
    const Values values = noisy(random, count, 1e6, 0.05);
    const Values medians = resampler.medians(values);
    std::vector<Values> at_most(count);
    for (std::size_t i = 0; i < count; ++i) {
      Values is_more(count);
      for (std::size_t j = 0; j < count; ++j) is_more[j] = values[j] > values[i] ? 1 : 0;
      at_most[i] = resampler.medians(is_more);
    }
    // The median is the least value that half of the drawn values do not exceed.
    for (std::size_t b = 0; b < BlockResampler::kResamples; b += 97) {
      int64_t least = INT64_MAX;
      for (std::size_t i = 0; i < count; ++i) {
        if (at_most[i][b] == 0) least = std::min(least, values[i]);
      }
      ASSERT_EQ(medians[b], least) << count << " " << b;
    }
  }
}

TEST(BlockResampler, IntervalCoversTheTruth) {
  std::mt19937_64 random(29);
  int covered = 0;
  const int runs = 400;
  for (int i = 0; i < runs; ++i) {
    const Values before = noisy(random, 40, 1e6, 0.02), after = noisy(random, 60, 1.05e6, 0.02);
    const auto interval =
        median_change_interval(before, BlockResampler(40), after, BlockResampler(60));
    ASSERT_TRUE(interval);
    if (interval->low <= 0.05 && interval->high >= 0.05) ++covered;
  }
  EXPECT_GT(covered, runs * 91 / 100);
  EXPECT_LT(covered, runs * 99 / 100);
}

TEST(BlockResampler, BlocksKeepSerialCorrelation) {
  std::mt19937_64 random(31);
  std::normal_distribution<double> step(0, 1);
  Values walk(400);
  double level = 0;
  for (int64_t& v : walk) v = 1'000'000 + std::llround((level = 0.9 * level + step(random)) * 1000);
  Values shuffled = walk;
  std::ranges::shuffle(shuffled, random);
  const BlockResampler resampler(walk.size());
  const auto width = [&](const Values& values) {
    return median_change_interval(values, resampler, Values(400, 1'000'000), resampler)
        ->half_width();
  };
  EXPECT_GT(width(walk), 1.5 * width(shuffled));
}

// A drift of both runs is no agreement of both.
TEST(BlockResampler, DrawsEachRunOnItsOwn) {
  std::mt19937_64 random(61);
  const auto drifting = [&random](std::size_t count) {
    Values values = noisy(random, count, 1e6, 0.002);
    for (std::size_t i = 0; i < count; ++i) values[i] += static_cast<int64_t>(i) * 1000;
    return values;
  };
  const Values before = drifting(60), after = drifting(60);
  const Values shorter(after.begin(), after.end() - 1);
  const BlockResampler sixty(60), fifty_nine(59);
  const double equal = median_change_interval(before, sixty, after, sixty)->half_width(),
               uneven = median_change_interval(before, sixty, shorter, fifty_nine)->half_width();
  EXPECT_GT(equal, 0.7 * uneven);
  EXPECT_LT(equal, 1.4 * uneven);
}

TEST(Interval, HasWidthWithManyValuesOnOneSide) {
  std::mt19937_64 random(67);
  const Values few = noisy(random, 5, 1e6, 0.001), many = noisy(random, 1500, 1e6, 0.02);
  const BlockResampler five(5), fifteen_hundred(1500);
  const auto interval = median_change_interval(many, fifteen_hundred, few, five);
  const auto [low, high] = std::ranges::minmax(few);
  const double of_few = static_cast<double>(high - low) / 1e6;
  EXPECT_GT(interval->high - interval->low, of_few + 0.001);
}

TEST(Choice, TakesOneOfEachStretch) {
  Values values(1003);
  std::iota(values.begin(), values.end(), int64_t{0});
  const Values chosen = chosen_of(values, 200);
  ASSERT_EQ(chosen.size(), 200U);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_GE(chosen[i], static_cast<int64_t>(i * 1003 / 200));
    EXPECT_LT(chosen[i], static_cast<int64_t>((i + 1) * 1003 / 200));
  }
  EXPECT_EQ(chosen, chosen_of(values, 200));
  EXPECT_EQ(chosen_of(Values{1, 2}, 200), (Values{1, 2}));
}

// Every second iteration is slow: every k-th one of 8,192 would always be a fast one.
TEST(Choice, DoesNotMeetAPeriod) {
  Values values(8192);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 100 : 200;
  const Values chosen = chosen_of(values, BlockResampler::kMostIterations);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(chosen, 200)), 2048, 150);
}

// One byte for each count, or two: which, must not show.
TEST(BlockResampler, RanksAreThoseOfMedians) {
  std::mt19937_64 random(71);
  for (const std::size_t count : {12U, 254U, 255U, 256U, 300U}) {
    Values values(count);
    std::iota(values.begin(), values.end(), int64_t{0});
    std::ranges::shuffle(values, random);
    std::vector<uint32_t> order(count);
    for (uint32_t i = 0; i < count; ++i) order[static_cast<std::size_t>(values[i])] = i;
    const BlockResampler resampler(count);
    const std::vector<uint16_t> ranks = resampler.median_ranks(order, 1);
    const Values medians = resampler.medians(values, 1);
    ASSERT_EQ(ranks.size(), BlockResampler::kResamples);
    for (std::size_t b = 0; b < ranks.size(); ++b) ASSERT_EQ(ranks[b], medians[b]) << count;
    EXPECT_NEAR(static_cast<double>(median_of(medians)), static_cast<double>(count) / 2,
                static_cast<double>(count) / 20 + 1);
  }
}

TEST(BlockResampler, TakesSomeOfManyIterations) {
  std::mt19937_64 random(37);
  const Values values = noisy(random, 20'000, 1e6, 0.01);
  const BlockResampler resampler(values.size());
  const Values medians = resampler.medians(values);
  const auto [low, high] = std::ranges::minmax(medians);
  EXPECT_LT(low, 1'000'000);
  EXPECT_GT(high, 1'000'000);
  EXPECT_LT(high - low, 3'000);
}

TEST(Interval, FewValuesGiveTheirRange) {
  const BlockResampler four(4), five(5);
  const auto interval = median_change_interval(Values{100, 101, 102, 103}, four,
                                               Values{110, 111, 112, 113, 114}, five);
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 110.0 / 103 - 1);
  EXPECT_DOUBLE_EQ(interval->high, 1.14 * 100 / 100 - 1);
  EXPECT_FALSE(median_change_interval(Values{1, 2, 3}, BlockResampler(3), Values(9, 1), four));
}

TEST(Interval, GoesToInfinityFromZero) {
  const BlockResampler nine(9), many(20);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(*median_change_interval(Values(9, 0), nine, Values(9, 1), nine),
            (ChangeInterval{infinity, infinity}));
  EXPECT_EQ(*median_change_interval(Values(20, 7), many, Values(20, 0), many),
            (ChangeInterval{-1, -1}));
  Values rare(20);
  rare[3] = 90;
  EXPECT_FALSE(median_change_interval(Values(20, 0), many, rare, many));
  EXPECT_EQ(judge_rows({{Values(20, 0), Values(20, 5)}}, {})[0].verdict, Verdict::slower);
  EXPECT_EQ(judge_rows({{Values(20, 5), Values(20, 0)}}, {})[0].verdict, Verdict::faster);
}

TEST(RunFloor, LearnsFromThreeCaptures) {
  EXPECT_NEAR(RunFloor().limit(), 0.02, 1e-9);
  EXPECT_GT(RunFloor().limit(0.01, 50), RunFloor().limit(0.01));
  const std::vector<double> two{100, 101};
  EXPECT_FALSE(learned_floor(two).is_learned());
  std::mt19937_64 random(41);
  std::vector<double> medians;
  std::normal_distribution<double> level(1e6, 3e3);
  for (int i = 0; i < 400; ++i) medians.push_back(level(random));
  EXPECT_NEAR(learned_floor(medians).deviation, 0.003 * std::numbers::sqrt2, 0.0004);
}

std::vector<RowValues> two_runs(std::mt19937_64& random, std::size_t iterations, std::size_t rows,
                                double between, double planted) {
  std::vector<RowValues> result(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const double mean = 1e6 / static_cast<double>(row + 1);
    std::normal_distribution<double> level(mean, between * mean);
    result[row].before = noisy(random, iterations, level(random), 0.013);
    result[row].after =
        noisy(random, iterations, level(random) * (row == 0 ? 1 + planted : 1), 0.013);
  }
  return result;
}

// Spreads of real captures: 1.3% between iterations, 0.7% between runs. Each row has a level of its
// own in each run, which is the hardest case.
TEST(Verdict, UnchangedRunsAreRarelyCalledChanged) {
  std::mt19937_64 random(43);
  for (const std::size_t iterations : {30U, 58U, 200U}) {
    int called = 0, called_by_p = 0;
    for (int pair = 0; pair < 1000; ++pair) {
      const auto rows = two_runs(random, iterations, pair % 2 == 0 ? 1 : 8, 0.007, 0);
      const std::vector<ValueChange> changes = judge_rows(rows, {});
      const auto is_called = [](const ValueChange& row) {
        return row.verdict == Verdict::slower || row.verdict == Verdict::faster;
      };
      if (std::ranges::any_of(changes, is_called)) ++called;
      if (std::ranges::any_of(changes, [](const auto& row) { return row.p < 0.01; })) ++called_by_p;
    }
    EXPECT_LT(called, 10) << iterations;
    EXPECT_GT(called_by_p, 350) << iterations;
  }
}

TEST(Verdict, FindsTenPercentInThatNoise) {
  std::mt19937_64 random(47);
  for (const std::size_t iterations : {30U, 58U, 200U}) {
    int found = 0;
    for (int pair = 0; pair < 200; ++pair) {
      const auto rows = two_runs(random, iterations, 8, 0.007, 0.1);
      if (judge_rows(rows, {})[0].verdict == Verdict::slower) ++found;
    }
    EXPECT_GE(found, 190) << iterations;
  }
}

TEST(Verdict, SwappedRunsSwapTheVerdict) {
  std::mt19937_64 random(53);
  for (int pair = 0; pair < 50; ++pair) {
    auto rows = two_runs(random, 40, 4, 0.02, 0.05);
    rows[1].after.resize(25);
    const std::vector<ValueChange> there = judge_rows(rows, {});
    for (RowValues& row : rows) std::swap(row.before, row.after);
    const std::vector<ValueChange> back = judge_rows(rows, {});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_DOUBLE_EQ(there[i].p, back[i].p);
      const Verdict mirrored = there[i].verdict == Verdict::slower   ? Verdict::faster
                               : there[i].verdict == Verdict::faster ? Verdict::slower
                                                                     : there[i].verdict;
      EXPECT_EQ(back[i].verdict, mirrored);
      EXPECT_NEAR((1 + there[i].interval->low) * (1 + back[i].interval->high), 1, 1e-9);
    }
  }
}

TEST(Verdict, OneRunWithItselfIsNoDifference) {
  std::mt19937_64 random(59);
  const Values values = noisy(random, 58, 1e6, 0.2);
  const ValueChange change = judge_rows({{values, values}}, {})[0];
  EXPECT_EQ(change.verdict, Verdict::no_difference);
  EXPECT_EQ(*change.interval, (ChangeInterval{0, 0}));
  EXPECT_EQ(change.p, 1);
}

TEST(Verdict, FewIterationsStayInconclusive) {
  const ValueChange change = judge_rows({{{10, 11, 10}, {30, 31, 30}}}, {})[0];
  EXPECT_EQ(change.verdict, Verdict::inconclusive);
  EXPECT_FALSE(change.interval);
  EXPECT_EQ(iterations_needed(change, 3, {}, 1), 10);
}

TEST(Verdict, SaysHowManyIterationsWouldHelp) {
  ValueChange change;
  change.before = 1000;
  change.after = 1050;
  change.interval = ChangeInterval{0.01, 0.09};
  const auto wanted = iterations_needed(change, 20, {}, 1);
  ASSERT_TRUE(wanted);
  // With the distance of the near bound reduced to what lies beyond the limit, and no less.
  const double beyond = std::log1p(RunFloor().limit(0.01)), within = std::log1p(RunFloor().limit());
  EXPECT_EQ(*wanted,
            std::ceil(20 * std::pow(std::log(1.05 / 1.01) / (std::log(1.05) - beyond), 2)));
  change.after = 1023;  // between what is no difference and what is one
  EXPECT_FALSE(iterations_needed(change, 20, {}, 1));
  // +4.0% (+2.4% to +4.9%) needs more than there are, though half the width would do.
  change.after = 1040;
  change.interval = ChangeInterval{0.024, 0.049};
  const double far =
      std::ceil(80 * std::pow(std::log(1.04 / 1.024) / (std::log(1.04) - beyond), 2));
  EXPECT_EQ(iterations_needed(change, 80, {}, 1), far);
  EXPECT_GT(far, 100);
  // The other direction needs as many.
  std::swap(change.before, change.after);
  change.interval = ChangeInterval{1 / 1.049 - 1, 1 / 1.024 - 1};
  EXPECT_EQ(iterations_needed(change, 80, {}, 1), far);
  // No difference: the bound that lies further out.
  change.before = change.after = 1000;
  change.interval = ChangeInterval{-0.01, 0.04};
  EXPECT_EQ(iterations_needed(change, 20, {}, 1),
            std::ceil(20 * std::pow(std::log(1.04) / within, 2)));
}

TEST(Verdict, GivesEqualAdviceWhenSwapped) {
  for (const auto& [after, low, high] :
       {std::tuple(1400, 0.1, 0.8), std::tuple(1010, -0.05, 0.06), std::tuple(1300, 0.0, 0.4)}) {
    ValueChange change, swapped;
    change.before = swapped.after = 1000;
    change.after = swapped.before = after;
    change.interval = ChangeInterval{low, high};
    swapped.interval = ChangeInterval{1 / (1 + high) - 1, 1 / (1 + low) - 1};
    const auto wanted = iterations_needed(change, 20, {}, 1);
    ASSERT_TRUE(wanted);
    EXPECT_NEAR(static_cast<double>(*wanted),
                static_cast<double>(iterations_needed(swapped, 20, {}, 1).value_or(0)), 1);
  }
}

TEST(Verdict, GivesNoAdviceWithoutARatio) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  ValueChange change;
  change.after = 10;
  for (const ChangeInterval interval : {ChangeInterval{kInfinite, kInfinite},
                                        ChangeInterval{0.5, kInfinite}, ChangeInterval{-1, 3}}) {
    change.before = std::isinf(interval.low) ? 0 : 8;
    change.interval = interval;
    EXPECT_FALSE(iterations_needed(change, 20, {}, 1));
  }
}

}  // namespace
}  // namespace dlview::aggregate
