#include "ui/views/iterations/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "base/units.h"
#include "support/sketch.h"

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The last two iterations of a run whose ranges count in steps of `step`, each with one call.
ComparisonTexts comparison_of_ranges(int64_t step) {
  testing::Sketch sketch;
  const profile::Row op = sketch.op("linear");
  for (int64_t i = 0; i < 3; ++i) {
    sketch.instance(op, i * 1000 + 10, i * 1000 + 20 + i);
    sketch.user_range("/Step", i * 1000, i * 1000 + 900, i * step);
  }
  const auto profile = sketch.finish();
  const aggregate::Aggregation aggregation = aggregate::make_cpu_aggregator(profile)->aggregate(
      {{aggregate::CutKind::start, "Step", 0}, {0, 2}});
  const aggregate::IterationTable& table = *aggregation.iteration_table;
  return prepare_comparison(*profile, table.iterations,
                            aggregate::compare_iterations(*profile, table, 2, 1), {2, 1}, nullptr,
                            aggregate::RecordedCategories(*profile, aggregation), {});
}

TEST(Comparison, NamesTheStepsThatCountOtherwise) {
  EXPECT_THAT(comparison_of_ranges(10).detail, HasSubstr("Step 20 vs. 10"));
  EXPECT_THAT(comparison_of_ranges(1).detail, Not(HasSubstr("Step")));
}

TEST(Comparison, TellsThatTheLastIterationIsItsRangeAlone) {
  EXPECT_THAT(comparison_of_ranges(1).detail, HasSubstr(" · Ends with its marker"));
}

TEST(Comparison, CountsOneCallAsOne) {
  const ComparisonTexts texts = comparison_of_ranges(1);
  ASSERT_EQ(texts.rows.size(), 1U);
  EXPECT_EQ(texts.rows[0].title, "linear\nCPU time, 1 call vs. 1");
}

TEST(Comparison, TellsOfTheTimeInWhichTheGpuDoesNothing) {
  testing::Sketch sketch;
  const profile::Row op = sketch.op("linear");
  for (const int64_t at : {0, 1000, 2200}) {
    sketch.kernel(sketch.instance(op, at, at + 10), at + 20, at + 320);
  }
  const auto profile = sketch.finish();
  const aggregate::Aggregation aggregation = aggregate::make_cpu_aggregator(profile)->aggregate(
      {{aggregate::CutKind::start, "linear", 0}, {0, 1}});
  const aggregate::IterationTable& table = *aggregation.iteration_table;
  const ComparisonTexts texts = prepare_comparison(
      *profile, table.iterations, aggregate::compare_iterations(*profile, table, 1, 0), {1, 0},
      nullptr, aggregate::RecordedCategories(*profile, aggregation), {});
  ASSERT_EQ(texts.rows.size(), 1U);
  EXPECT_EQ(texts.rows[0].name, "GPU idle");
  EXPECT_EQ(texts.rows[0].value, base::format_duration(int64_t{899}));
  EXPECT_EQ(texts.rows[0].baseline, base::format_duration(int64_t{699}));
  EXPECT_EQ(texts.rows[0].difference, "+" + base::format_duration(int64_t{200}));
  EXPECT_EQ(texts.rows[0].op_id, "");
}

TEST(Comparison, PagesShareAUnit) {
  testing::Sketch sketch;
  const profile::Row step = sketch.op("step");
  std::vector<profile::Row> ops;
  for (std::size_t i = 0; i <= kComparedRows; ++i) {
    ops.push_back(sketch.op("op" + std::to_string(i)));
  }
  constexpr int64_t kMs = 1'000'000, kStep = 100 * kMs;
  for (int64_t i = 0; i < 3; ++i) {
    int64_t at = i * kStep;
    sketch.instance(step, at, at + 1);
    // Each op takes less than the one before: 10 ms, 9 ms ... and the last 40 µs.
    for (std::size_t op = 0; op < ops.size(); ++op) {
      const int64_t ns = op == kComparedRows ? 40'000 : (10 - static_cast<int64_t>(op)) * kMs;
      sketch.instance(ops[op], at + 10, at + 10 + ns * (i + 1) / 3);
      at += 11 * kMs;
    }
  }
  const auto profile = sketch.finish();
  const auto aggregation = aggregate::make_cpu_aggregator(profile)->aggregate(
      {{aggregate::CutKind::start, "step", 0}, {0, 2}});
  const aggregate::IterationTable& table = *aggregation.iteration_table;
  const ComparisonTexts texts = prepare_comparison(
      *profile, table.iterations, aggregate::compare_iterations(*profile, table, 1, 0), {1, 0},
      nullptr, aggregate::RecordedCategories(*profile, aggregation),
      {.kernels = false, .first = kComparedRows});
  ASSERT_EQ(texts.rows.size(), 1U);
  EXPECT_EQ(texts.rows[0].name, "op" + std::to_string(kComparedRows));
  EXPECT_EQ(texts.rows[0].difference, "+0.014\u202fms");
}

// A shown duration: its number, and its unit behind a thin space.
std::pair<double, std::string> parts(const std::string& shown) {
  const std::size_t space = shown.find(base::kThinSpace);
  std::string number = shown.substr(0, space);
  if (number.starts_with("−")) number = "-" + number.substr(std::string("−").size());
  const std::string unit = space == std::string::npos ? "" : shown.substr(space);
  return {std::stod(number), unit};
}

// 1.2345 ms against 1.2310 ms: with three digits each they would be equal.
TEST(Comparison, DifferencesAreThoseOfTheShownTimes) {
  testing::Sketch sketch;
  const profile::Row op = sketch.op("linear"), other = sketch.op("relu");
  const int64_t kernel_ns[] = {1'231'000, 1'234'500, 10'000};
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t at = i * 5'000'000;
    sketch.kernel(sketch.instance(op, at, at + 10), at + 20, at + 20 + kernel_ns[i]);
    sketch.kernel(sketch.instance(other, at + 20, at + 30), at + 2'000'000,
                  at + 2'049'600 + 90 * i);
  }
  const auto profile = sketch.finish();
  const auto aggregation = aggregate::make_cpu_aggregator(profile)->aggregate(
      {{aggregate::CutKind::start, "linear", 0}, {0, 2}});
  const aggregate::IterationTable& table = *aggregation.iteration_table;
  const ComparisonTexts texts = prepare_comparison(
      *profile, table.iterations, aggregate::compare_iterations(*profile, table, 1, 0), {1, 0},
      nullptr, aggregate::RecordedCategories(*profile, aggregation), {});
  ASSERT_GE(texts.rows.size(), 2U);
  std::vector<ComparisonRow> rows = texts.rows;
  rows.insert(rows.end(), texts.categories.begin(), texts.categories.end());
  for (const ComparisonRow& row : rows) {
    if (row.value == "not recorded") continue;
    if (row.difference.empty() || row.difference == "0") {
      EXPECT_EQ(row.value, row.baseline) << row.name;
      continue;
    }
    const auto [value, unit] = parts(row.value);
    const auto [baseline, baseline_unit] = parts(row.baseline);
    const auto [difference, difference_unit] = parts(row.difference);
    if (value != 0) {
      EXPECT_EQ(unit, difference_unit) << row.name << ": " << row.value;
    }
    if (baseline != 0) {
      EXPECT_EQ(baseline_unit, difference_unit) << row.name << ": " << row.baseline;
    }
    EXPECT_NEAR(value - baseline, difference, 1e-9)
        << row.name << ": " << row.value << ", " << row.baseline << ", " << row.difference;
    EXPECT_NE(difference, 0) << row.name;
  }
}

}  // namespace
}  // namespace dlview::ui
