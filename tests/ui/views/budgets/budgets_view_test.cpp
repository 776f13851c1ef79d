// The view Budgets: where bars, limits and baselines stand, the order of rows, what a click
// selects, and what is shown where there is nothing to judge.
#include "ui/views/budgets/budgets_view.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "ui/table/tables.h"
#include "ui/view_fixture.h"

namespace dlview::ui {
namespace {

namespace budget = report::budget;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// One iteration of run_of_twenty_steps() takes 299 ns, the others 99.
constexpr const char* kBudgets = R"([run]
key_op = "train/step"
iterations = "all"
[[budget]]
name = "step"
metric = "iteration_duration"
at_most = "125 ns"
[[budget]]
name = "launches"
metric = "kernel_launches"
at_most = 0
only = ["op_type=conv2d"]
level = "warning"
[[budget]]
name = "each step"
metric = "iteration_duration"
of = "each"
at_most = "200 ns"
)";

std::shared_ptr<const workspace::LoadedBudgets> loaded(const std::string& text) {
  auto budgets = std::make_shared<workspace::LoadedBudgets>();
  budgets->paths.budget = "/runs/budget.toml";
  auto file = budget::parse_budget_file(text, budgets->paths.budget);
  if (file) {
    budgets->file = *std::move(file);
  } else {
    budgets->error = file.error();
  }
  return budgets;
}

TEST(BudgetBars, PutLimitsAtTheirShare) {
  budget::BudgetBar bar{.value = 150, .limit = 200, .baseline = 100.0, .low = 90, .high = 110};
  bar.top = 250;  // 1.25 of the limit
  const BudgetBarPlace place = place_bar(bar, 1000, 1500);
  EXPECT_FLOAT_EQ(place.value, 1300);
  EXPECT_FLOAT_EQ(place.limit, 1400);
  EXPECT_FLOAT_EQ(*place.dot, 1200);
  EXPECT_FLOAT_EQ(place.low, 1180);
  EXPECT_FLOAT_EQ(place.high, 1220);
}

TEST(BudgetBars, ShowTwoLimits) {
  budget::BudgetBar bar{.value = 150, .limit = 200};
  bar.top = 250;
  EXPECT_FALSE(place_bar(bar, 1000, 1500).second_limit);
  EXPECT_FLOAT_EQ(*place_bar(bar, 1000, 1500, 175.0).second_limit, 1350);
}

TEST(BudgetBars, StayWithinTheScale) {
  budget::BudgetBar bar{.value = 0, .limit = 1e12};
  bar.top = 100;
  const BudgetBarPlace place = place_bar(bar, 10, 110);
  EXPECT_FLOAT_EQ(place.value, 11) << "0 is seen as a bar of one pixel";
  EXPECT_FLOAT_EQ(place.limit, 110);
  EXPECT_FALSE(place.dot);
}

TEST(BudgetBars, ReachBeyondTheLimit) {
  const auto budgets = loaded(
      "[[budget]]\nname = \"a\"\nmetric = \"iteration_duration\"\n"
      "at_most = \"200 ns\"\n");
  budget::Judgement judgement;
  judgement.budget = &budgets->file->budgets.front();
  EXPECT_FALSE(budget::bar_of(judgement)) << "no value";
  judgement.value = 100;
  EXPECT_DOUBLE_EQ(budget::bar_of(judgement)->top, 250);
  judgement.value = 1000;
  EXPECT_DOUBLE_EQ(budget::bar_of(judgement)->top, 1020);
  judgement.allowance.emplace();
  judgement.allowance->baseline = 150;
  judgement.allowance->most_worse = 200;
  EXPECT_DOUBLE_EQ(budget::bar_of(judgement)->low, 0) << "no value is negative";
  EXPECT_DOUBLE_EQ(budget::bar_of(judgement)->high, 350);
}

class BudgetsViewTest : public testing::ViewFixture {
 protected:
  BudgetsViewTest() {
    open(testing::run_of_twenty_steps(), "train/step");
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      view_.draw(frame, box, {bars, tables_});
    };
  }
  void judge(const std::string& text) {
    model.budgets = loaded(text);
    settle();
  }
  void settle() {
    frames(2);
    tables_.background.wait_until_idle();
    frames(3);
  }
  std::vector<std::string> rows() {
    std::vector<std::string> shown;
    for (int r = 0; has_value("budgets/" + std::to_string(r)); ++r) {
      shown.push_back(value("budgets/" + std::to_string(r)));
    }
    return shown;
  }

  base::Scheduler scheduler_;
  Tables tables_{scheduler_};
  BudgetsView view_;
};

TEST_F(BudgetsViewTest, ListsBrokenBudgetsFirst) {
  judge(kBudgets);
  EXPECT_THAT(rows(), ElementsAre("broken: each step 299 ns", "broken (warning): launches 1",
                                  "kept: step 99 ns"));
  EXPECT_THAT(value("budgets/summary"), HasSubstr("3 budgets: 1 broken"));
  EXPECT_THAT(value("budgets/run"),
              AllOf(StartsWith("all: iterations 0–20"), HasSubstr("marker train/step")));
}

TEST_F(BudgetsViewTest, DrawsBarsBesideTheirLimits) {
  judge(kBudgets);
  const auto middle = [&](const std::string& name) {
    return (item(name).left + item(name).right) / 2;
  };
  const ItemRect scale = item("budgets/2/scale");
  const float width = scale.right - scale.left;
  EXPECT_NEAR((item("budgets/2/bar").right - scale.left) / width, 99 / 156.25, 0.005);
  EXPECT_NEAR((middle("budgets/2/limit") - scale.left) / width, 0.8, 0.01);
  EXPECT_GT(item("budgets/0/bar").right, middle("budgets/0/limit")) << "broken";
  EXPECT_EQ(item("budgets/0/scale").left, scale.left) << "one column";
}

TEST_F(BudgetsViewTest, SelectsTheWorstIteration) {
  judge(kBudgets);
  click("budgets/0");
  EXPECT_EQ(model.compared.iteration, 10);
  EXPECT_EQ(host.shown, ViewId::iterations);
}

TEST_F(BudgetsViewTest, SelectsWhatABudgetFilters) {
  judge(kBudgets);
  click("budgets/1");
  ASSERT_EQ(model.selection.filters.size(), 1U);
  EXPECT_EQ(model.selection.filters.front().kind, aggregate::FilterKind::op_type);
}

TEST_F(BudgetsViewTest, JudgesTheSelectedRange) {
  judge(kBudgets);
  click("budgets/range/selected");
  host.select(model.selection.with_range({1, 5}));
  settle();
  EXPECT_THAT(value("budgets/run"), StartsWith("selected range: iterations 1–5"));
  EXPECT_THAT(rows().front(), StartsWith("broken (warning): launches"))
      << "the slow iteration is not in the range";
  click("budgets/range/file");
  settle();
  EXPECT_THAT(rows().front(), StartsWith("broken: each step"));
}

TEST_F(BudgetsViewTest, KeepsTheRangeInStates) {
  EXPECT_TRUE(view_.table_states().empty());
  view_.set_table({BudgetsView::kRangeState, {}, "selected"});
  judge(kBudgets);
  EXPECT_THAT(value("budgets/run"), StartsWith("selected range"));
  ASSERT_EQ(view_.table_states().size(), 1U);
  EXPECT_EQ(view_.table_states().front().selected, "selected");
}

TEST_F(BudgetsViewTest, SaysWhereAFileIsWrong) {
  judge("[[budget]]\nname = \"a\"\nmetric = \"iteration_durations\"\nat_most = \"1 ms\"\n");
  EXPECT_THAT(value("budgets/error/detail"), HasSubstr("budget.toml:3:10"));
  EXPECT_THAT(value("budgets/error/advice"), HasSubstr("iteration_duration"));
  EXPECT_TRUE(rows().empty());
  judge(kBudgets);
  EXPECT_EQ(rows().size(), 3U) << "the corrected file";
}

TEST_F(BudgetsViewTest, SaysWhatTheRunLacks) {
  judge(
      "[run]\nkey_op = \"train/step\"\niterations = \"5:50\"\n[[budget]]\nname = \"a\"\n"
      "metric = \"iteration_duration\"\nat_most = \"1 ms\"\n");
  EXPECT_EQ(value("budgets/not_judged/title"), "The run has too few iterations");
  EXPECT_THAT(value("budgets/not_judged/detail"), HasSubstr("budget.toml:3"));
}

TEST_F(BudgetsViewTest, SaysThatABaselineIsMissing) {
  judge(
      "[run]\nkey_op = \"train/step\"\niterations = \"all\"\n[[budget]]\nname = \"a\"\n"
      "metric = \"iteration_duration\"\nworse_by_at_most = \"learned\"\n");
  EXPECT_THAT(value("budgets/note/0"), StartsWith("No baseline"));
  EXPECT_THAT(rows(), ElementsAre("inconclusive: a 99 ns"));
}

TEST_F(BudgetsViewTest, ExplainsItselfWithoutAFile) {
  settle();
  EXPECT_EQ(value("budgets/none/title"), "No budget file");
  click("page/file.check_budgets");
  EXPECT_EQ(host.command, "file.check_budgets");
}

}  // namespace
}  // namespace dlview::ui
