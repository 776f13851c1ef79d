#include "report/budget/budget_file.h"

#include <random>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::report::budget {
namespace {

using aggregate::Unit;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kExample = R"(# Budgets of the nightly run
[run]
key_op = "step"
iterations = "50:100"
split_by = "host"
needs = ["gpu = NVIDIA H100*", "gpus = 8"]

[[budget]]
name = "step time"
metric = "iteration_duration"
of = "p95"
at_most = "310 ms"
worse_by_at_most = "3 %"
level = "warning"

[[budget]]
name = "attention"
metric = "op_gpu_time"
at_most = "41.5ms"
only = ["op_type=linear", "group=/model/attn/"]
worse_by_at_most = "learned"
unknown = "skip"

[[budget]]
metric = "gpu_utilization"
at_least = "85 %"
worse_by_at_most = "2 points"

[[budget]]
metric = "kernel_launches"
of = "each"
equals = 1204
)";

base::Error error_of(const std::string& text) {
  const auto file = parse_budget_file(text, "budget.toml");
  EXPECT_FALSE(file.ok()) << text;
  return file ? base::Error{} : file.error();
}

// The error of a budget with a duration at most 310 ms and this line, which is the fifth.
base::Error error_of_line(const std::string& line) {
  return error_of(
      "[[budget]]\nname = \"a\"\nmetric = \"iteration_duration\"\nat_most = \"310 ms\"\n" + line +
      "\n");
}

TEST(BudgetFile, ReadsEveryKey) {
  const auto file = parse_budget_file(kExample, "budget.toml");
  ASSERT_TRUE(file.ok()) << base::to_text(file.error());
  EXPECT_EQ(file->key_op, "step");
  EXPECT_EQ(to_text(file->iterations), "50:100");
  EXPECT_EQ(file->split_by, aggregate::SplitBy::host);
  ASSERT_EQ(file->needs.size(), 2U);
  EXPECT_EQ(file->needs[0].fact, Need::Fact::gpu);
  EXPECT_EQ(file->needs[0].pattern, "NVIDIA H100*");
  EXPECT_EQ(file->needs[1].place, (Place{6, 32}));
  ASSERT_EQ(file->budgets.size(), 4U);
  const Budget& time = file->budgets[0];
  EXPECT_EQ(time.name, "step time");
  EXPECT_EQ(time.of, Statistic::p95);
  EXPECT_EQ(time.at_most, 310'000'000);
  EXPECT_EQ(time.worse_by, (Tolerance{Tolerance::Kind::share, 0.03, 0}));
  EXPECT_EQ(time.level, Level::warning);
  EXPECT_EQ(time.when_unknown, WhenUnknown::fail);
  EXPECT_EQ(time.place, (Place{9, 8}));
  const Budget& attention = file->budgets[1];
  EXPECT_EQ(attention.of, Statistic::median);
  EXPECT_EQ(attention.at_most, 41'500'000);
  EXPECT_EQ(attention.only.size(), 2U);
  EXPECT_EQ(attention.worse_by, Tolerance{});
  EXPECT_EQ(attention.when_unknown, WhenUnknown::skip);
  const Budget& utilization = file->budgets[2];
  EXPECT_EQ(utilization.name, "gpu_utilization (median)");
  EXPECT_EQ(utilization.at_least, 85 * kPercent);
  EXPECT_EQ(utilization.worse_by, (Tolerance{Tolerance::Kind::amount, 0, 2 * kPercent}));
  EXPECT_EQ(file->budgets[3].equals, 1204);
  EXPECT_TRUE(file->needs_baseline());
}

TEST(BudgetFile, PointsToMisspelledNames) {
  const auto check = [](const base::Error& error, const char* title, const char* place,
                        const char* advice) {
    EXPECT_EQ(error.title, title);
    EXPECT_EQ(error.detail, place);
    EXPECT_EQ(error.advice, advice);
  };
  check(error_of_line("at_mots = \"3 s\""), "Unknown key of a budget: \"at_mots\"",
        "budget.toml:5:1", "Did you mean at_most?");
  check(error_of_line("  of = \"mediann\""), "Invalid of: \"mediann\"", "budget.toml:5:8",
        "Did you mean median?");
  check(error_of_line("level = \"warn\""), "Invalid level: \"warn\"", "budget.toml:5:9",
        "Valid: error, warning");
  check(error_of("[[budget]]\nmetric = \"iteration_durations\"\n"),
        "Unknown metric: \"iteration_durations\"", "budget.toml:2:10",
        "Did you mean iteration_duration?");
  check(error_of("[run]\nkey = \"step\"\n[[budget]]\n"), "Unknown key of [run]: \"key\"",
        "budget.toml:2:1", "Valid: iterations, key_op, needs, split_by");
  check(error_of("[[budget]]\nname = \"a\" # \x92\n"), "Invalid UTF-8", "budget.toml:2:14",
        "Save the file as UTF-8");
  check(error_of("[runs]\n"), "Unknown key: \"runs\"", "budget.toml:1:2", "Did you mean run?");
  check(error_of("[run]\nneeds = [\"gpu = a\",\n  \"gpuz = 8\"]\n[[budget]]\n"),
        "Unknown fact in needs: \"gpuz\"", "budget.toml:3:3", "Did you mean gpu?");
}

TEST(BudgetFile, PointsToFiltersOfAList) {
  const base::Error error = error_of(
      "[[budget]]\nmetric = \"op_gpu_time\"\nat_most = \"1 s\"\n"
      "only = [\n  \"op=a\",\n  \"op_typ=linear\",\n]\n");
  EXPECT_EQ(error.title, "Unknown kind in only: \"op_typ\"");
  EXPECT_EQ(error.detail, "budget.toml:6:3");
  EXPECT_EQ(error.advice, "Did you mean op_type?");
}

TEST(BudgetFile, RefusesValuesOfAnotherUnit) {
  for (const char* value : {"\"310 mm\"", "\"310\"", "310", "\"-1 ms\"", "\"ms\"", "\"1e300 s\"",
                            "\"nan ms\"", "true", "[]", "2026-01-01"}) {
    const base::Error error =
        error_of(fmt::format("[[budget]]\nmetric = \"iteration_duration\"\nat_most = {}\n", value));
    EXPECT_THAT(error.title, StartsWith("Invalid at_most")) << value;
    EXPECT_EQ(error.detail, "budget.toml:3:11") << value;
    EXPECT_THAT(error.advice, HasSubstr("ns, us, ms, s or min")) << value;
  }
  EXPECT_THAT(error_of_line("worse_by_at_most = \"2 GiB\"").advice, HasSubstr("\"2 ms\""));
}

TEST(BudgetFile, RefusesStatisticsOfTheBestIterations) {
  const auto error_with = [](const char* metric, const char* of) {
    return error_of(fmt::format("[[budget]]\nmetric = \"{}\"\nof = \"{}\"\n", metric, of));
  };
  const base::Error high = error_with("gpu_utilization", "p95");
  EXPECT_EQ(high.title, "p95 of gpu_utilization is that of the best iterations");
  EXPECT_EQ(high.detail, "budget.toml:3:6");
  EXPECT_EQ(high.advice, "Less is worse: write of = \"p5\"");
  EXPECT_EQ(error_with("tensor_core_efficiency", "max").advice,
            "Less is worse: write of = \"min\"");
  EXPECT_EQ(error_with("iteration_duration", "min").advice, "More is worse: write of = \"max\"");
  for (const char* of : {"p5", "min"}) {
    EXPECT_TRUE(parse_budget_file(fmt::format("[[budget]]\nmetric = \"gpu_utilization\"\n"
                                              "of = \"{}\"\nat_least = \"50%\"\n",
                                              of),
                                  "budget.toml")
                    .ok());
  }
}

TEST(BudgetFile, AsksForSharesInQuotes) {
  const base::Error error = error_of_line("worse_by_at_most = 0.05");
  EXPECT_EQ(error.title, "Invalid worse_by_at_most: 0.05");
  EXPECT_THAT(error.advice, StartsWith("Quote the value: \"5%\". Valid: \"learned\""));
  EXPECT_THAT(error_of("[[budget]]\nmetric = \"gpu_utilization\"\nworse_by_at_most = 3\n").advice,
              StartsWith("Quote the value: \"3%\"."));
}

TEST(BudgetFile, FindsNamesWithWordsInAnotherOrder) {
  EXPECT_EQ(error_of("[[budget]]\nmetric = \"exposed_communication\"\nat_most = \"1 s\"\n").advice,
            "Did you mean communication_exposed?");
}

TEST(BudgetFile, RefusesLimitsThatMeanNothing) {
  EXPECT_THAT(error_of("[[budget]]\nmetric = \"iteration_duration\"\n").title,
              HasSubstr("has no limit"));
  EXPECT_THAT(error_of_line("equals = \"3 ms\"").title, HasSubstr("is not a count"));
  EXPECT_THAT(error_of_line("at_least = \"1 s\"").title, HasSubstr("less than at_least"));
  EXPECT_THAT(error_of_line("only = [\"op=a\"]").title, HasSubstr("Filters do not change"));
  EXPECT_THAT(error_of_line("of = \"each\"\nworse_by_at_most = \"learned\"").title,
              HasSubstr("has no baseline"));
  EXPECT_THAT(error_of_line("[[budget]]\nname = \"a\"\nmetric = \"findings\"").title,
              HasSubstr("Two budgets"));
  EXPECT_THAT(error_of("[[budget]]\nmetric = \"gpu_utilization\"\nof = \"sum\"\n").title,
              HasSubstr("has no sum"));
  EXPECT_THAT(error_of("[[budget]]\nmetric = \"findings\"\nof = \"median\"\n").title,
              HasSubstr("has no median"));
  EXPECT_THAT(error_of("[[budget]]\nmetric = \"idle_gap\"\n").title,
              HasSubstr("without a single value"));
  EXPECT_THAT(error_of("").title, HasSubstr("No budgets"));
}

TEST(BudgetFile, PointsToInvalidToml) {
  const base::Error error = error_of("[[budget]]\nname = \"a\nmetric = 3\n");
  EXPECT_EQ(error.title, "Invalid TOML in the budget file");
  EXPECT_THAT(error.detail, StartsWith("budget.toml:2:"));
}

TEST(BudgetFile, SaysToWriteTwoBrackets) {
  for (const char* text : {"\n[budget]\nname = \"a\"\n", "\n [ budget ]  # one\n[[budget]]\n",
                           "[[budget]]\n[budget]\n"}) {
    const base::Error error = error_of(text);
    EXPECT_EQ(error.detail, "budget.toml:2:1") << text;
    EXPECT_THAT(error.advice, HasSubstr("[[budget]]")) << text;
    EXPECT_THAT(error.title, HasSubstr("[budget]")) << text;
  }
}

TEST(BudgetFile, SaysToQuoteATextWithoutQuotes) {
  const base::Error error = error_of("[[budget]]\nname = step time\nmetric = \"findings\"\n");
  EXPECT_THAT(error.detail, StartsWith("budget.toml:2:"));
  EXPECT_EQ(error.advice, "Quote the value: name = \"step time\"");
}

TEST(BudgetFile, SaysThatLimitsAreNotNegative) {
  for (const char* value : {"-5", "\"-5\"", "\" -5\""}) {
    const base::Error error =
        error_of(fmt::format("[[budget]]\nmetric = \"kernel_launches\"\nat_most = {}\n", value));
    EXPECT_EQ(error.title, "Invalid at_most: -5 is less than 0") << value;
    EXPECT_THAT(error.advice, HasSubstr("0 or more")) << value;
  }
  EXPECT_EQ(error_of("[[budget]]\nmetric = \"iteration_duration\"\nat_most = -5\n").title,
            "Invalid at_most: -5 is less than 0");
}

// Where toml++ asserts instead of reporting an error.
TEST(BudgetFile, PointsToTablesWithoutAName) {
  for (const char* text : {"\n[[\x01", "\n[?]", "\n[[.a]]", "\n[", "\na.? = 1"}) {
    EXPECT_THAT(error_of(text).detail, StartsWith("budget.toml:2:")) << text;
  }
}

// toml++ has undefined behavior for some of them.
TEST(BudgetFile, PointsToCharactersOutsideOfTexts) {
  for (const char* text : {"\n\xef\xbb\xbe", "\n\xc2\xb5 = 1", "\n\x01"}) {
    EXPECT_EQ(error_of(text).detail, "budget.toml:2:1") << text;
  }
  EXPECT_EQ(error_of("a = 3 \xc2\xb5s").detail, "budget.toml:1:7");
  EXPECT_EQ(error_of("a = \"\xc2\xb5\" \xc2\xb5s").detail, "budget.toml:1:9");
  EXPECT_EQ(error_of("a = \"\\\"\" \xc2\xb5s").detail, "budget.toml:1:10");
  EXPECT_EQ(error_of("a = \"\"\"\nb\"\"\"").title, "Text of several lines");
}

TEST(BudgetFile, PointsToTextsAfterAValue) {
  for (const char* text : {"a = 3\"\xc5\xba\"", "a = 3 \"\xc5\xba\"", "a = 3.\"\xc5\xba\"",
                           "a = 3=\"\xc5\xba\"", "a = 3[\"\xc5\xba\"]", "a = {b = \"\xc5\xba\"}",
                           "a = [\n3=\"\xc5\xba\"]", "a = 2020-01-01 1\"\xc5\xba\""}) {
    EXPECT_THAT(error_of(text).title, StartsWith("Unexpected ")) << text;
  }
}

TEST(BudgetFile, ReadsOtherCharactersInTexts) {
  const auto file = parse_budget_file(
      "\xef\xbb\xbf# µ ü \"\n[[budget]] # \xe2\x80\x99\nname = \"µ \\\" .........\"\n"
      "metric = 'iteration_duration'\nat_most = \"5 µs\"\n",
      "budget.toml");
  ASSERT_TRUE(file.ok()) << base::to_text(file.error());
  EXPECT_EQ(file->budgets[0].name, "µ \" .........");
  EXPECT_EQ(file->budgets[0].at_most, 5000);
}

// A thread's stack holds few thousand of them.
TEST(BudgetFile, RefusesDeepTables) {
  std::string keys = "a";
  for (int i = 0; i < 300'000; ++i) keys += ".a";
  for (const std::string& text : {keys + " = 1\n", "[" + keys + "]\n", "x = {" + keys + " = 1}\n",
                                  "x = " + std::string(100'000, '[') + "\n"}) {
    EXPECT_FALSE(error_of(text).advice.empty());
  }
}

TEST(BudgetFile, MatchesPatternsWithStars) {
  EXPECT_TRUE(matches("NVIDIA H100 80GB HBM3", "NVIDIA H100*"));
  EXPECT_TRUE(matches("NVIDIA H100", "*H1*0"));
  EXPECT_TRUE(matches("", "*"));
  EXPECT_FALSE(matches("NVIDIA H100", "NVIDIA H10"));
  EXPECT_FALSE(matches("NVIDIA A100", "*H100*"));
  EXPECT_FALSE(matches("a", ""));
  EXPECT_TRUE(matches(std::string(5000, 'a') + "b", "*a*a*a*b"));
}

TEST(BudgetValue, KeepsItsValueAsText) {
  std::mt19937_64 random(3);
  for (const Unit unit : {Unit::ns, Unit::bytes, Unit::percent, Unit::count}) {
    for (int i = 0; i < 300; ++i) {
      const auto value = static_cast<int64_t>(random() >> (12 + random() % 50));
      EXPECT_EQ(parse_value(exact_text(value, unit), unit), value) << exact_text(value, unit);
    }
  }
  EXPECT_EQ(exact_text(310'000'000, Unit::ns), "310 ms");
  EXPECT_EQ(exact_text(41'500'000, Unit::ns), "41.5 ms");
  EXPECT_EQ(exact_text(int64_t{2} << 30, Unit::bytes), "2 GiB");
  EXPECT_EQ(exact_text(85 * kPercent, Unit::percent), "85%");
  EXPECT_EQ(exact_text(0, Unit::ns), "0 ns");
}

// What the window puts on the clipboard.
TEST(BudgetToml, ReadsBackEachMetric) {
  for (const BudgetMetric& metric : all_budget_metrics()) {
    std::vector<aggregate::Filter> filters;
    if (aggregate::metric(metric.id).obeys_filters) {
      filters = {{aggregate::FilterKind::op, "a \"quoted\" \\ name"},
                 {aggregate::FilterKind::kernel, "µ\x01"}};
    }
    const Statistic of = metric.default_statistic();
    const auto text = budget_toml(metric.id, of, 1'234'567, filters);
    ASSERT_TRUE(text) << metric.id.text();
    const auto file = parse_budget_file(*text, "budget.toml");
    ASSERT_TRUE(file.ok()) << *text << base::to_text(file.error());
    const Budget& budget = file->budgets.front();
    EXPECT_EQ(budget.metric, &metric);
    EXPECT_EQ(budget.of, of);
    EXPECT_EQ(metric.less_is_better ? budget.at_most : budget.at_least, 1'234'567);
    EXPECT_EQ(budget.only, aggregate::canonical(filters));
  }
  EXPECT_FALSE(budget_toml("idle_gap", Statistic::median, 1));
  EXPECT_FALSE(budget_toml("findings", Statistic::median, 1));
  EXPECT_FALSE(
      budget_toml("iteration_duration", Statistic::median, 1, {{aggregate::FilterKind::op, "a"}}));
}

}  // namespace
}  // namespace dlview::report::budget
