// Findings, gaps and unknown use of Tensor Cores of runs with many events are looked for in the
// background.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/rules/rule_index.h"
#include "aggregate/tensor_core_uses.h"
#include "support/sketch.h"
#include "ui/views/dashboard/findings.h"
#include "ui/views/dashboard/shares.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {
namespace {

constexpr int64_t kStep = 1000;
constexpr int kSteps = 4;
const std::string kKeyOp = "train/step";

// Steps of kernels of 1 ns with 1 ns between them, which all come before the middle of their step.
// Nothing tells whether they use Tensor Cores.
Model open(int kernels_per_step) {
  testing::Sketch sketch(2);
  const profile::Row step = sketch.op(kKeyOp);
  const int64_t length = kernels_per_step * kStep;
  for (int i = 0; i < kSteps; ++i) {
    const int64_t start = i * length;
    const profile::Row instance = sketch.instance(step, start, start + length - 1);
    for (int k = 0; k < kernels_per_step; ++k) {
      sketch.kernel(instance, start + 2 * k, start + 2 * k + 1, 0, "triton_poi_fused");
    }
  }
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  facts->source.by_tensor_core_rules = true;
  Model model;
  model.profile = facts;
  model.rules = std::make_shared<const aggregate::RuleIndex>(*model.profile);
  model.unknown_use = std::make_shared<const aggregate::UnknownTensorCoreUse>(*model.profile);
  return model;
}

void select(Model& model, const aggregate::Selection& selection) {
  model.aggregation = std::make_shared<const aggregate::Aggregation>(
      aggregate::make_cpu_aggregator(model.profile)->aggregate(selection));
  model.selection = model.aggregation->selection;
}

void select(Model& model, aggregate::IterationRange range, const std::string& key_op = kKeyOp) {
  select(model, {{.key_op = key_op}, range});
}

// Holds whatever is asked of a background until it is let go.
class Held {
 public:
  explicit Held(Background& background) : background_(background), hold_(background.hold()) {}
  void let_go() {
    hold_.reset();
    background_.wait_until_idle();
  }

 private:
  Background& background_;
  std::optional<base::Scheduler::Hold> hold_;
};

template <typename Data>
class LateDataTest : public ::testing::Test {
 protected:
  // The second and the third step of four.
  void begin(int kernels_per_step) {
    model = open(kernels_per_step);
    select(model, {1, 2});
  }

  Model model;
  base::Scheduler scheduler;
  Background background{scheduler};
  Data data;
};
using FindingsDataTest = LateDataTest<FindingsData>;
using GapsDataTest = LateDataTest<GapsData>;
using UnknownTimeDataTest = LateDataTest<UnknownTimeData>;

std::vector<std::string> problems(const FindingRows& findings) {
  std::vector<std::string> texts;
  for (const FindingRow& row : findings.rows) texts.push_back(row.problem);
  return texts;
}

// As they are found at once.
std::vector<std::string> problems_of(const Model& model) {
  return problems(prepare_findings(
      *model.profile, model.aggregation->iteration_table->iterations,
      aggregate::find_findings(*model.profile, *model.aggregation, {}, model.rules.get())));
}

TEST_F(FindingsDataTest, OfFewEventsAreThereAtOnce) {
  begin(10);
  const auto findings = data.get(model, background);
  ASSERT_NE(findings, nullptr);
  EXPECT_FALSE(findings->rows.empty()) << "the GPU hardly works";
  EXPECT_FALSE(data.is_late());
}

TEST_F(FindingsDataTest, OfManyEventsStayUntilTheNextAreFound) {
  begin(15'000);
  Held first(background);
  EXPECT_EQ(data.get(model, background), nullptr);
  first.let_go();
  const auto before = data.get(model, background);
  ASSERT_NE(before, nullptr);
  EXPECT_EQ(problems(*before), problems_of(model));
  EXPECT_EQ(data.get(model, background), before) << "once for each range";

  Held second(background);
  select(model, {2, 2});
  ASSERT_NE(problems(*before), problems_of(model));
  EXPECT_EQ(data.get(model, background), before);
  EXPECT_TRUE(data.is_late());
  second.let_go();
  EXPECT_EQ(problems(*data.get(model, background)), problems_of(model));
  EXPECT_FALSE(data.is_late());
}

TEST_F(FindingsDataTest, OfOneCutAreNotThoseOfTheNext) {
  begin(15'000);
  data.get(model, background);
  background.wait_until_idle();
  ASSERT_NE(data.get(model, background), nullptr);
  Held held(background);
  select(model, {0, 0}, "");
  EXPECT_EQ(data.get(model, background), nullptr);
  held.let_go();
  EXPECT_EQ(problems(*data.get(model, background)), problems_of(model));
}

TEST_F(GapsDataTest, OfFewEventsAreThereAtOnceWhereRulesAre) {
  begin(10);
  const auto table = data.get(model, background);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->table.row_count, 19U);
  model.rules = nullptr;
  EXPECT_EQ(data.get(model, background), nullptr);
}

TEST_F(GapsDataTest, OfManyEventsStayUntilTheNextAreFound) {
  begin(15'000);
  Held first(background);
  EXPECT_EQ(data.get(model, background), nullptr);
  first.let_go();
  const auto before = data.get(model, background);
  ASSERT_NE(before, nullptr);
  EXPECT_EQ(before->aggregation, model.aggregation);

  Held second(background);
  select(model, {2, 2});
  EXPECT_EQ(data.get(model, background), before);
  second.let_go();
  const auto after = data.get(model, background);
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(after->aggregation, model.aggregation);
}

TEST_F(GapsDataTest, OfOneFileAreNotThoseOfTheNext) {
  begin(15'000);
  data.get(model, background);
  background.wait_until_idle();
  ASSERT_NE(data.get(model, background), nullptr);
  Model other = open(15'000);
  select(other, {1, 2});
  Held held(background);
  EXPECT_EQ(data.get(other, background), nullptr);
  held.let_go();
  EXPECT_EQ(data.get(other, background)->profile, other.profile);
}

TEST_F(UnknownTimeDataTest, OfFewEventsIsThereAtOnce) {
  begin(10);
  EXPECT_EQ(data.times(model, background).value().gpu_ns, 20);
}

TEST_F(UnknownTimeDataTest, FollowsTheRangeOnceTheKernelsAreKnown) {
  begin(15'000);
  const auto unknown = std::exchange(model.unknown_use, nullptr);
  EXPECT_EQ(data.times(model, background), std::nullopt);
  model.unknown_use = unknown;
  const Held held(background);
  EXPECT_EQ(data.times(model, background).value().gpu_ns, 30'000);
  select(model, {2, 2});
  EXPECT_EQ(data.times(model, background).value().gpu_ns, 15'000);
}

TEST_F(UnknownTimeDataTest, OfADatabaseIsZeroAtOnce) {
  begin(15'000);
  auto stored = std::make_shared<profile::Profile>(*model.profile);
  stored->source.by_tensor_core_rules = false;
  model.profile = stored;
  model.unknown_use = nullptr;
  EXPECT_EQ(data.times(model, background), UnknownUseTimes{});
}

TEST_F(UnknownTimeDataTest, OfManyEventsIsNotThatOfOtherFilters) {
  begin(15'000);
  ASSERT_EQ(data.times(model, background).value().gpu_ns, 30'000);
  Held held(background);
  select(model, {{.key_op = kKeyOp}, {1, 2}, {*aggregate::parse_filter("device", "1")}});
  EXPECT_EQ(data.times(model, background), std::nullopt);
  held.let_go();
  EXPECT_EQ(data.times(model, background).value().gpu_ns, 0);
  select(model, {1, 2});
  EXPECT_EQ(data.times(model, background).value().gpu_ns, 30'000) << "without filters as before";
}

}  // namespace
}  // namespace dlview::ui
