#include "ui/views/compare/change_chart.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/comparison/compared_runs.h"
#include "support/seeds.h"

namespace dlview::ui {
namespace {

using aggregate::StackPart;
using aggregate::TrainingOptions;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// The number that a reader sees; all texts of a chart have one unit.
double shown_number(const std::string& text) {
  EXPECT_EQ(text.find_first_of("<>"), std::string::npos) << text;
  return std::stod(replaced(replaced(text, "−", "-"), ",", ""));
}

class ChangeChartTest : public ::testing::Test {
 protected:
  void compare(const TrainingOptions& before, const TrainingOptions& after) {
    runs_ = std::make_shared<const aggregate::RunPair>(aggregate::compared_training(before),
                                                       aggregate::compared_training(after));
    comparison_ = aggregate::compare(runs_, runs_->usual_ranges());
  }
  ChangeChart chart(const ChangePlace& place = {}) const {
    return prepare_change_chart(*runs_, comparison_.waterfall, place, &comparison_);
  }
  std::vector<ChangePlace> places() const {
    std::vector<ChangePlace> places{{}};
    for (const aggregate::PartBar& part : comparison_.waterfall.parts) {
      if (part.before_sum_ns == 0 && part.after_sum_ns == 0) continue;
      places.push_back({part.part, std::nullopt});
      for (const aggregate::OpBar& op : part.ops) {
        if (!op.kernels.empty()) places.push_back({part.part, changed_op(op)});
      }
    }
    return places;
  }

  std::shared_ptr<const aggregate::RunPair> runs_;
  aggregate::Comparison comparison_;
};

TEST_F(ChangeChartTest, ShownValuesAddUpOnEachLevel) {
  for (uint64_t seed = 1; seed <= testing::seeds(6); ++seed) {
    compare({.seed = seed}, {.seed = seed + 100,
                             .linear = 1.1,
                             .replaces_kernel = seed % 2 == 0,
                             .exposes_communication = seed % 3 == 0,
                             .has_dropout = seed % 2 == 1});
    for (const ChangePlace& place : places()) {
      const ChangeChart shown = chart(place);
      ASSERT_GE(shown.rows.size(), 2U) << to_text(place);
      const ChangeRow& before = shown.rows.front();
      const ChangeRow& after = shown.rows.back();
      double sum = shown_number(before.value);
      int64_t running_ns = before.stop_ns;
      for (const ChangeRow& row : shown.rows) {
        if (row.kind != ChangeRow::Kind::change) continue;
        EXPECT_EQ(row.start_ns, running_ns) << row.label;
        running_ns = row.stop_ns;
        sum += shown_number(row.value);
      }
      EXPECT_EQ(running_ns, after.stop_ns) << to_text(place);
      EXPECT_NEAR(sum, shown_number(after.value), 1e-6) << to_text(place) << " seed " << seed;
      EXPECT_LE(shown.rows.size(), 18U) << "twelve bars, three of others, and the ends";
    }
  }
}

TEST_F(ChangeChartTest, LargestOpComesFirst) {
  compare({.seed = 1}, {.seed = 2, .linear = 1.3});
  const ChangeChart shown = chart({StackPart::tensor_core_kernels, std::nullopt});
  EXPECT_EQ(shown.title, "Tensor Core kernels");
  ASSERT_GT(shown.rows.size(), 2U);
  EXPECT_THAT(shown.rows[1].label, HasSubstr("linear"));
  EXPECT_THAT(shown.rows[1].judged, StartsWith("slower, median +"));
  EXPECT_TRUE(shown.rows[1].is_certain);
}

// Twelve bars are shown, however many ops there are: judging each op by a search through all of
// them is 1.6 billion steps here, which take seconds.
TEST_F(ChangeChartTest, JudgesOnlyShownOps) {
  compare({.seed = 1}, {.seed = 2, .linear = 1.3});
  constexpr auto kPart = static_cast<std::size_t>(StackPart::tensor_core_kernels);
  constexpr int64_t kOps = 40'000;
  aggregate::PartBar& part = comparison_.waterfall.parts[kPart];
  ASSERT_FALSE(part.ops.empty());
  const aggregate::OpBar first = part.ops.front();
  for (int64_t i = 1; i <= kOps; ++i) {
    aggregate::OpBar& op = part.ops.emplace_back(first);
    op.kernels.clear();
    op.after_ns = op.before_ns + (i % 2 == 0 ? 1 : -1) * (1 + kOps / i);
    op.cause = static_cast<aggregate::GapCause>(1);
    comparison_.judgment.parts[kPart].ops.push_back({});
  }
  const auto start = std::chrono::steady_clock::now();
  const ChangeChart shown = chart({StackPart::tensor_core_kernels, std::nullopt});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500));
  EXPECT_LE(shown.rows.size(), 18U);
  EXPECT_THAT(shown.rows[1].judged, StartsWith("slower, median +"));
}

TEST_F(ChangeChartTest, OpsWithoutPartnerSaySo) {
  compare({.seed = 1}, {.seed = 2, .has_dropout = true});
  std::vector<std::string> labels;
  for (const ChangeRow& row : chart({StackPart::other_kernels, std::nullopt}).rows) {
    labels.push_back(row.label);
  }
  EXPECT_THAT(labels, Contains(AllOf(HasSubstr("dropout"), HasSubstr("(only after)"))));
}

// One slower op of many: the whole part may be chance, the op in it is not.
TEST_F(ChangeChartTest, PartsWithASlowerOpAreCertain) {
  TrainingOptions after;
  after.first_linear = 1.1;
  after.seed = 77;
  compare({}, after);
  const auto row_of = [](const ChangeChart& shown) {
    const auto found = std::ranges::find_if(shown.rows, [](const ChangeRow& row) {
      return row.part == StackPart::tensor_core_kernels;
    });
    EXPECT_NE(found, shown.rows.end());
    return *found;
  };
  for (std::size_t p = 0; p < aggregate::kStackPartCount; ++p) {
    if (comparison_.waterfall.parts[p].part != StackPart::tensor_core_kernels) continue;
    ASSERT_THAT(comparison_.judgment.parts[p].kind,
                ::testing::AnyOf(aggregate::ChangeKind::same, aggregate::ChangeKind::inconclusive));
  }
  EXPECT_TRUE(row_of(chart()).is_certain);
  EXPECT_THAT(row_of(chart()).judged, ::testing::EndsWith("; 1 row is slower"));
  after.first_linear = 1;
  compare({}, after);
  EXPECT_FALSE(row_of(chart()).is_certain);
}

TEST_F(ChangeChartTest, EqualRunsShowNoBars) {
  compare({.seed = 3}, {.seed = 3});
  const ChangeChart shown = chart();
  ASSERT_EQ(shown.rows.size(), 3U);
  EXPECT_EQ(shown.rows[1].kind, ChangeRow::Kind::unchanged);
  EXPECT_EQ(shown.rows[1].label, "No change:");
  ASSERT_FALSE(shown.rows[1].parts.empty());
  EXPECT_EQ(shown.rows[1].parts.front(), StackPart::tensor_core_kernels);
  EXPECT_EQ(shown.rows[0].value, shown.rows[2].value);
}

TEST_F(ChangeChartTest, PartsWithoutTimeSaySo) {
  compare({.seed = 1}, {.seed = 2});
  EXPECT_TRUE(chart({StackPart::io, std::nullopt}).rows.empty());
  EXPECT_EQ(chart({StackPart::io, std::nullopt}).why_none, "No time here in these ranges.");
}

TEST_F(ChangeChartTest, ValuesOfPartsAddUpToIterations) {
  compare({.seed = 1}, {.seed = 2, .exposes_communication = true});
  const aggregate::RangePair ranges = runs_->usual_ranges();
  const aggregate::RowValues whole = values_of(*runs_, ranges, {});
  ASSERT_EQ(whole.before.size(), static_cast<std::size_t>(ranges.before.size()));
  std::vector<int64_t> sum(whole.after.size());
  for (const StackPart part : aggregate::kStackParts) {
    const aggregate::RowValues values = values_of(*runs_, ranges, {part, std::nullopt});
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values.after[i];
  }
  EXPECT_EQ(sum, whole.after);
}

TEST(ChangePlaces, AreWrittenAndRead) {
  const ChangePlace place{StackPart::exposed_communication, std::nullopt};
  EXPECT_EQ(parse_change_place(to_text(place)), place);
  EXPECT_EQ(parse_change_place(""), ChangePlace{});
  EXPECT_EQ(parse_change_place("kitchen"), ChangePlace{});
}

}  // namespace
}  // namespace dlview::ui
