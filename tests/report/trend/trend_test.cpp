// Captures of small runs with planted changes, measured and printed.
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/comparison/compared_runs.h"
#include "report/trend/trend_measure.h"
#include "report/trend/trend_tables.h"

namespace dlview::report {
namespace {

using aggregate::TrainingOptions;
using aggregate::Trend;
using aggregate::TrendSeries;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TrendInput input_of(const TrainingOptions& options, std::string label) {
  return {std::move(label), aggregate::training_run(options), {.key_op = "step"}, std::nullopt};
}

// Captures c0, c1, ...; `change` sees the number of each.
template <typename Change>
SharedTrend trend_of(int captures, const Change& change, std::vector<TrendSpec> specs) {
  TrendMeasure measure(std::move(specs));
  for (int i = 0; i < captures; ++i) {
    TrainingOptions options;
    options.seed = static_cast<uint64_t>(i + 1);
    change(i, options);
    const base::Status added = measure.add(input_of(options, fmt::format("c{}", i)));
    EXPECT_TRUE(added.ok()) << (added.ok() ? "" : base::to_text(added.error()));
  }
  return std::make_shared<const Trend>(measure.finish());
}

const TrendSeries* series_named(const Trend& trend, std::string_view title) {
  for (const TrendSeries& series : trend.series) {
    if (trend.metric_of(series).title == title) return &series;
  }
  return nullptr;
}

TEST(TrendMeasure, FollowsOpsThroughOtherNames) {
  const SharedTrend trend = trend_of(
      8,
      [](int i, TrainingOptions& options) {
        options.first_layer = i;  // blocks.0 to blocks.5, then blocks.1 to ...
        if (i >= 4) options.linear = 1.3;
      },
      default_trend_specs());
  int linear = 0, attention = 0;
  for (const TrendSeries& series : trend->series) {
    const std::string& title = trend->metric_of(series).title;
    if (trend->metric_of(series).id != "op") continue;
    ASSERT_EQ(series.lines.size(), 1U) << title;
    EXPECT_EQ(series.lines[0].captures.size(), 8U) << title;
    if (title.find("linear") != std::string::npos) {
      ++linear;
      EXPECT_EQ(series.step_count(), 1U) << title;
      EXPECT_NEAR(series.largest_step(), 0.3, 0.02) << title;
    } else {
      attention += title.find("attention") != std::string::npos ? 1 : 0;
      EXPECT_EQ(series.step_count(), 0U) << title;
    }
  }
  EXPECT_EQ(linear, 6);
  EXPECT_EQ(linear + attention, 10 - 1);  // and the all-reduce or the optimizer
  const TrendSeries* const iteration = series_named(*trend, "Duration of an iteration");
  ASSERT_NE(iteration, nullptr);
  EXPECT_EQ(iteration->step_count(), 1U);
  EXPECT_EQ(iteration->lines[0].capture_of(iteration->lines[0].steps.steps[0]), 4U);
}

// What is not there takes no time: that is a step, and no missing value.
TEST(TrendMeasure, OpsThatComeAndGoAreZero) {
  const auto dropout_of = [](const auto& has_dropout) {
    const SharedTrend trend = trend_of(
        10,
        [&](int i, TrainingOptions& options) {
          options.linear = 0.01;  // less than dropout
          options.has_dropout = has_dropout(i);
        },
        *parse_trend_specs({"iteration_duration"}));
    for (const TrendSeries& series : trend->series) {
      if (trend->metric_of(series).title.find("dropout") == std::string::npos) continue;
      EXPECT_EQ(series.lines[0].captures.size(), 10U);
      EXPECT_EQ(series.step_count(), 1U);
      return series.lines[0].steps.steps[0];
    }
    ADD_FAILURE() << "no dropout";
    return aggregate::TrendStep{};
  };
  const aggregate::TrendStep appeared = dropout_of([](int i) { return i >= 6; });
  EXPECT_EQ(appeared.at, 6U);
  EXPECT_EQ(appeared.before, 0);
  const aggregate::TrendStep vanished = dropout_of([](int i) { return i < 5; });
  EXPECT_EQ(vanished.at, 5U);
  EXPECT_EQ(vanished.change(), -1);
}

TEST(TrendMeasure, HasIntervalsOfMedians) {
  const SharedTrend trend = trend_of(
      3, [](int, TrainingOptions&) {},
      *parse_trend_specs({"iteration_duration", "gpu_utilization"}));
  for (const aggregate::TrendCapture& capture : trend->captures) {
    for (const auto& value : capture.values) {
      if (!value) continue;
      ASSERT_TRUE(value->low && value->high);
      EXPECT_LE(*value->low, value->value);
      EXPECT_GE(*value->high, value->value);
    }
    EXPECT_GT(capture.iterations, 30);
    EXPECT_EQ(capture.break_reason, "");
  }
  EXPECT_NEAR(trend->captures[0].values[1]->value, 99, 1.5);
}

TEST(TrendSentence, NamesADrift) {
  const SharedTrend trend = trend_of(
      8, [](int i, TrainingOptions& options) { options.clocks = 1 + 0.03 * i; },
      *parse_trend_specs({"iteration_duration", "gpu_utilization"}));
  EXPECT_THAT(trend_sentence(*trend),
              ContainsRegex("Drift in .* metrics\\. Largest: .*, drift of \\+2[0-9.]+% over 8 "
                            "captures\\."));
  EXPECT_THAT(trend_sentence(*trend), Not(HasSubstr("noise")));
  const Table drifts = make_trend_drifts(trend);
  EXPECT_GE(drifts.row_count, 1U);
  std::ostringstream page;
  write_trend_page(trend, page);
  EXPECT_THAT(page.str(), HasSubstr("<div class=\"verdict worse\">"));
}

TEST(TrendMeasure, BreaksAtOtherGpus) {
  const SharedTrend trend = trend_of(
      4, [](int i, TrainingOptions& options) { options.devices = i < 2 ? 1 : 2; },
      *parse_trend_specs({"iteration_duration"}));
  EXPECT_EQ(trend->captures[1].break_reason, "");
  EXPECT_THAT(trend->captures[2].break_reason, HasSubstr("GPU differs"));
  EXPECT_EQ(trend->series[0].lines.size(), 2U);
}

TEST(TrendMeasure, RefusesOneCaptureTwice) {
  TrendMeasure measure(default_trend_specs());
  EXPECT_TRUE(measure.add(input_of({}, "a")).ok());
  const base::Status again = measure.add(input_of({}, "b"));
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().title, "The same capture twice");
}

TEST(TrendMeasure, RefusesRangesBeyondTheRun) {
  TrendMeasure measure(default_trend_specs());
  TrendInput input = input_of({}, "a");
  input.range = aggregate::IterationRange{3, 400};
  EXPECT_EQ(measure.add(input).error().title, "Too few iterations");
}

TEST(TrendSpecs, NameTheNearestMetric) {
  EXPECT_THAT(parse_trend_specs({"foo"}).error().advice, HasSubstr("iteration_duration, "));
  EXPECT_THAT(parse_trend_specs({"iteration_durations"}).error().advice,
              HasSubstr("iteration_duration"));
  EXPECT_FALSE(parse_trend_specs({"new"}).ok());
  EXPECT_EQ(parse_trend_specs({"gpu_idle", "gpu_idle"})->size(), 1U);
}

TEST(TrendSpecs, TakeLimitsOfABudgetFile) {
  const auto file = budget::parse_budget_file(
      "[[budget]]\nname = \"step\"\nmetric = \"iteration_duration\"\nat_most = \"3 ms\"\n"
      "[[budget]]\nname = \"busy\"\nmetric = \"gpu_utilization\"\nof = \"p5\"\nat_least = "
      "\"80%\"\n"
      "[[budget]]\nname = \"new\"\nmetric = \"new\"\nat_most = 0\n"
      "[[budget]]\nname = \"worse\"\nmetric = \"gpu_idle\"\nworse_by_at_most = \"3%\"\n",
      "budget.toml");
  ASSERT_TRUE(file.ok());
  std::vector<TrendSpec> specs = default_trend_specs();
  const std::size_t before = specs.size();
  const AddedBudgets added = add_budgets(*file, nullptr, specs);
  EXPECT_THAT(added.note(), ::testing::StartsWith("No line for worse: the limit compares with"));
  ASSERT_EQ(specs.size(), before + 1);
  EXPECT_EQ(specs[0].at_most, 3'000'000);
  EXPECT_EQ(specs.back().title(), "busy");
  EXPECT_EQ(specs.back().at_least, 80 * budget::kPercent);
}

// Relative limits lie where the check has them.
TEST(TrendSpecs, TakeLimitsOfABaseline) {
  const auto file = budget::parse_budget_file(
      "[[budget]]\nname = \"step\"\nmetric = \"iteration_duration\"\nat_most = \"1 s\"\n"
      "worse_by_at_most = \"3%\"\n"
      "[[budget]]\nname = \"busy\"\nmetric = \"gpu_utilization\"\nworse_by_at_most = \"2 "
      "points\"\n",
      "budget.toml");
  ASSERT_TRUE(file.ok());
  budget::Baseline baseline;
  for (const auto& [name, value] :
       {std::pair<const char*, int64_t>{"step", 100'000'000}, {"busy", 80 * budget::kPercent}}) {
    budget::BaselineBudget& of = baseline.budgets.emplace_back();
    of.name = name;
    of.captures.push_back({value, 1, {value}});
  }
  std::vector<TrendSpec> specs = default_trend_specs();
  EXPECT_EQ(add_budgets(*file, &baseline, specs).note(), "");
  EXPECT_EQ(specs[0].at_most, 103'000'000);
  const auto busy =
      std::ranges::find_if(specs, [](const TrendSpec& spec) { return spec.at_least.has_value(); });
  ASSERT_NE(busy, specs.end());
  EXPECT_EQ(busy->metric->id.text(), "gpu_utilization");
  EXPECT_EQ(busy->at_least, 78 * budget::kPercent);
  baseline.budgets.pop_back();
  EXPECT_THAT(add_budgets(*file, &baseline, specs).note(), HasSubstr("No line for busy"));
}

TEST(TrendOrder, IsThatOfRecording) {
  EXPECT_EQ(order_by_recording({"2026-05-02", "2026-05-01", "2026-05-03"}),
            (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_TRUE(order_by_recording({"2026-05-02", ""}).empty());
  EXPECT_TRUE(order_by_recording({"2026-05-02", "2026-05-02", "2026-05-02"}).empty());
}

SharedTrend with_a_step() {
  return trend_of(
      6, [](int i, TrainingOptions& options) { options.linear = i < 3 ? 1 : 1.4; },
      default_trend_specs());
}

TEST(TrendTables, HaveARowForEachStep) {
  const SharedTrend trend = with_a_step();
  const Table steps = make_trend_steps(trend);
  std::size_t count = 0;
  for (const TrendSeries& series : trend->series) count += series.step_count();
  EXPECT_GT(count, 3U);
  EXPECT_EQ(steps.row_count, count);
  EXPECT_EQ(make_step_texts(trend).row_count, count);
  const Table values = make_trend_values(trend);
  EXPECT_EQ(values.row_count, trend->series.size() * 6);
  std::size_t step_rows = 0;
  const auto is_step = std::ranges::find(values.columns, "is_step", &Column::id);
  for (std::size_t row = 0; row < values.row_count; ++row) {
    step_rows += is_step->cell(row) == Cell(true) ? 1 : 0;
  }
  EXPECT_EQ(step_rows, count);
  EXPECT_THAT(trend_sentence(*trend), HasSubstr(" at c3"));
}

TEST(TrendTables, SayThatThereAreNoSteps) {
  const auto same = [](int, TrainingOptions&) {};
  EXPECT_THAT(trend_sentence(*trend_of(5, same, default_trend_specs())), HasSubstr("No steps"));
}

// The nightly case: the newest capture is slower.
TEST(TrendTables, NameTheCaptureThatStandsOut) {
  const SharedTrend trend = trend_of(
      9, [](int i, TrainingOptions& options) { options.linear = i < 8 ? 1 : 1.4; },
      default_trend_specs());
  const std::string sentence = trend_sentence(*trend);
  EXPECT_THAT(sentence, ContainsRegex("No steps in [0-9]+ metrics. c8, the newest, stands out: "
                                      "Duration of an iteration \\+[0-9.]+%, and [0-9]+ more"));
  EXPECT_THAT(sentence, Not(HasSubstr("noise")));
  EXPECT_EQ(make_trend_steps(trend).row_count, 0U);
  const Table standouts = make_trend_standouts(trend);
  EXPECT_GT(standouts.row_count, 5U);
  const Table texts = make_step_texts(trend);
  EXPECT_EQ(texts.row_count, standouts.row_count);
  EXPECT_EQ(texts.title, "Captures that stand out");
  std::ostringstream out;
  write_trend_page(trend, out);
  EXPECT_THAT(out.str(), HasSubstr("mark worse"));
  EXPECT_THAT(out.str(), HasSubstr("verdict worse"));
  EXPECT_THAT(out.str(), HasSubstr("c8 stands out: "));
}

TEST(TrendTables, ListTheValuesOfFewCaptures) {
  const auto same = [](int, TrainingOptions&) {};
  const Table few = make_trend_overview(trend_of(5, same, default_trend_specs()));
  ASSERT_EQ(few.columns.size(), 7U);
  for (int c = 0; c < 5; ++c) {
    const Column& column = few.columns[static_cast<std::size_t>(c)];
    EXPECT_EQ(column.title, fmt::format("c{}", c));
    EXPECT_THAT(to_text(column.cell(0)), HasSubstr("ms"));
  }
  const Table many = make_trend_overview(trend_of(9, same, default_trend_specs()));
  EXPECT_EQ(many.columns[0].title, "First");
  EXPECT_EQ(many.columns[1].title, "Last");
}

// Less than a step, more than nothing.
TEST(TrendTables, TellTheChangeOfTwoCaptures) {
  const SharedTrend trend = trend_of(
      2, [](int i, TrainingOptions& options) { options.linear = i < 1 ? 1 : 1.4; },
      default_trend_specs());
  EXPECT_THAT(trend_sentence(*trend), ContainsRegex("iteration: \\+[0-9.]+% \\(\\+[0-9.]+% to "
                                                    "\\+[0-9.]+%\\) from c0 to c1, more than the "
                                                    "2.0% \\(assumed\\).*Steps need 4 captures"));
  const auto same = [](int, TrainingOptions&) {};
  EXPECT_THAT(trend_sentence(*trend_of(3, same, default_trend_specs())),
              HasSubstr("from c0 to c2, within the 2.0%"));
  std::ostringstream out;
  write_trend_page(trend, out);
  EXPECT_THAT(out.str(), HasSubstr("from c0 to c1</p>"));
}

TEST(TrendPage, ChartsEachMetricWithValues) {
  const SharedTrend trend = with_a_step();
  std::ostringstream out;
  write_trend_page(trend, out);
  const std::string html = out.str();
  std::size_t charts = 0;
  for (std::size_t at = html.find("viewBox=\"0 0 320 120\""); at != std::string::npos;
       at = html.find("viewBox=\"0 0 320 120\"", at + 1)) {
    ++charts;
  }
  // That of exposed communication is 0 in all captures, and those of parts that do not exist.
  EXPECT_GT(charts, trend->series.size() / 2);
  EXPECT_LT(charts, trend->series.size());
  EXPECT_THAT(html, HasSubstr("0 in all captures: "));
  EXPECT_THAT(html, HasSubstr("mark worse"));
  EXPECT_THAT(html, HasSubstr("class=\"level\""));
  EXPECT_THAT(html, HasSubstr(">c0</text>"));
  EXPECT_THAT(html, HasSubstr(">c5</text>"));
  // Numbers stand under their headers, at the right.
  EXPECT_THAT(html, ContainsRegex("<td class=\"n\">[0-9.]+ (ms|µs)</td>"));
  EXPECT_THAT(html, HasSubstr("Trend of 6 captures"));
  // Paths are not in it.
  EXPECT_THAT(html, Not(HasSubstr("/tmp")));
}

TEST(TrendPage, DrawsTheLimitOfABudget) {
  std::vector<TrendSpec> specs = *parse_trend_specs({"iteration_duration"});
  specs[0].at_most = 3'500'000;
  const SharedTrend trend = trend_of(
      4, [](int, TrainingOptions&) {}, specs);
  std::ostringstream out;
  write_trend_page(trend, out);
  EXPECT_THAT(out.str(), HasSubstr("Budget: at most 3.50 ms"));
  EXPECT_THAT(out.str(), HasSubstr("class=\"limit\""));
}

}  // namespace
}  // namespace dlview::report
