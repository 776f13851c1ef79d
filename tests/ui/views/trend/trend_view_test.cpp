// The view Trend: where dots stand, what charts say, and what clicks on dots do.
#include "ui/views/trend/trend_view.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "ui/table/tables.h"
#include "ui/view_fixture.h"

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The metric "Step" with these values, and one that is always 0.
std::shared_ptr<const aggregate::Trend> trend_of(const std::vector<double>& values,
                                                 std::size_t broken_at = 0) {
  std::vector<aggregate::TrendMetric> metrics{
      {.id = "iteration_duration", .title = "Step", .unit = aggregate::Unit::ns, .at_most = 1.1e6},
      {.id = "kernel_launches", .title = "Launches", .unit = aggregate::Unit::count}};
  std::vector<aggregate::TrendCapture> captures;
  for (std::size_t i = 0; i < values.size(); ++i) {
    aggregate::TrendCapture capture;
    capture.label = fmt::format("run{}", i);
    capture.iterations = 20;
    if (broken_at > 0 && i == broken_at) capture.break_reason = "other GPU";
    capture.values = {
        aggregate::TrendValue{values[i], values[i] - 1000, values[i] + 1000},
        aggregate::TrendValue{0},
    };
    captures.push_back(std::move(capture));
  }
  return std::make_shared<const aggregate::Trend>(
      aggregate::make_trend(std::move(metrics), std::move(captures)));
}

// Twelve captures; the last six take 10% longer.
std::vector<double> one_step() {
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) values.push_back((i < 6 ? 1e6 : 1.1e6) + 500 * (i % 3));
  return values;
}

TEST(TrendAxes, FindTheCaptureUnderThePointer) {
  const TrendAxis axis{100, 420, 8};
  for (std::size_t capture = 0; capture < 8; ++capture) {
    EXPECT_EQ(axis.capture_at(axis.x_of(capture)), capture);
  }
  EXPECT_FLOAT_EQ(axis.x_of(0), 120);
  EXPECT_EQ(axis.capture_at(0), 0U);
  EXPECT_EQ(axis.capture_at(5000), 7U);
}

TEST(TrendAxes, LabelBothEnds) {
  const TrendAxis axis{0, 320, 30};
  const std::vector<std::size_t> labeled = labeled_captures(axis, 64);
  EXPECT_EQ(labeled.front(), 0U);
  EXPECT_EQ(labeled.back(), 29U);
  EXPECT_EQ(labeled.size(), 5U);
  EXPECT_THAT(labeled_captures({0, 320, 2}, 64), ElementsAre(0, 1));
  EXPECT_THAT(labeled_captures({0, 320, 1}, 64), ElementsAre(0));
}

TEST(TrendAxes, LabelWhatIsMarked) {
  const TrendAxis axis{0, 320, 30};
  EXPECT_THAT(labeled_captures(axis, 64, {13}), ElementsAre(0, 7, 13, 21, 29));
  EXPECT_THAT(labeled_captures(axis, 64, {0, 6, 8, 22, 24}), ElementsAre(0, 6, 8, 22, 29));
  EXPECT_THAT(labeled_captures({0, 320, 1}, 64, {0}), ElementsAre(0));
}

std::vector<std::string> shortened(const std::vector<std::string>& labels) {
  aggregate::Trend trend;
  for (const std::string& label : labels)
    trend.captures.push_back(aggregate::TrendCapture{label, "", "", 0, 0, "", {}});
  return report::short_labels(trend);
}

TEST(TrendAxes, ShowWhereLabelsDiffer) {
  EXPECT_THAT(shortened({"night-2026-11-01-main", "night-2026-11-02-main"}),
              ElementsAre("01", "02"));
  EXPECT_THAT(shortened({"run1", "run12"}), ElementsAre("run1", "run12")) << "no separator";
  EXPECT_THAT(shortened({"run-1", "run-1-1"}), ElementsAre("run-1", "run-1-1"));
  EXPECT_THAT(shortened({"a", "a"}), ElementsAre("a", "a"));
  EXPECT_THAT(shortened({"only"}), ElementsAre("only"));
}

TEST(TrendPanels, LeaveOutWhatIsZero) {
  const auto panels = prepare_trend_panels(*trend_of(one_step()));
  ASSERT_EQ(panels.size(), 1U);
  EXPECT_EQ(panels.front().title, "Step");
  EXPECT_THAT(panels.front().notes.front().text, HasSubstr("at run6, worse"));
  ASSERT_EQ(panels.front().levels.size(), 2U);
  EXPECT_EQ(panels.front().levels.front().last, 5U);
}

TEST(TrendPanels, PutValuesBetweenTheBounds) {
  const TrendPanel panel = prepare_trend_panels(*trend_of(one_step())).front();
  const Box plot{0, 100, 320, 220};
  EXPECT_FLOAT_EQ(trend_y(panel.scale, plot, panel.scale.low), 220);
  EXPECT_FLOAT_EQ(trend_y(panel.scale, plot, panel.scale.high), 100);
  EXPECT_GT(trend_y(panel.scale, plot, 1e6), trend_y(panel.scale, plot, 1.1e6));
  EXPECT_EQ(panel.scale.limit, 1.1e6);
}

TEST(TrendSentences, ShortenLabels) {
  const auto trend = trend_of(one_step());
  std::vector<std::string> labels;
  for (int i = 0; i < 12; ++i) labels.push_back(fmt::format("{}", i));
  EXPECT_EQ(report::with_short_labels("Step +10% at run1, run11 stands out", *trend, labels),
            "Step +10% at 1, 11 stands out");
}

class TrendViewTest : public testing::ViewFixture {
 protected:
  TrendViewTest() {
    open(testing::run_of_twenty_steps(), "train/step");
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      view_.draw(frame, box, {bars, tables_});
    };
    model.trend.emplace();
  }
  void show(const std::vector<double>& values, std::size_t broken_at = 0) {
    auto measured = std::make_shared<workspace::MeasuredTrend>();
    measured->trend = trend_of(values, broken_at);
    measured->is_by_time = is_by_time;
    for (std::size_t i = 0; i < values.size(); ++i) {
      measured->paths.push_back(fmt::format("/runs/run{}.sqlite", i));
    }
    model.trend->captures = values.size();
    model.trend->measured = measured;
    frames(3);
  }
  float middle_y(const std::string& name) { return (item(name).top + item(name).bottom) / 2; }

  bool is_by_time = true;
  base::Scheduler scheduler_;
  Tables tables_{scheduler_};
  TrendView view_;
};

TEST_F(TrendViewTest, StepsAreSeen) {
  show(one_step());
  EXPECT_THAT(value("trend/sentence"), HasSubstr("1 step"));
  EXPECT_THAT(value("trend/0/note"), HasSubstr("run6, worse"));
  EXPECT_GT(middle_y("trend/0/dot/0"), middle_y("trend/0/dot/11")) << "longer is higher";
  EXPECT_NEAR(middle_y("trend/0/level/0"), middle_y("trend/0/dot/1"), 3);
  EXPECT_NEAR(item("trend/0/plot").bottom - item("trend/0/plot").top, 120, 1);
  EXPECT_GE(item("trend/0/limit").top, item("trend/0/plot").top);
  EXPECT_EQ(value("trend/zeros"), "0 in all captures: Launches.");
}

// The label of the step is below it, whichever capture it is.
TEST_F(TrendViewTest, TheStepHasItsLabel) {
  show(one_step());
  EXPECT_NEAR((item("trend/0/label/6").left + item("trend/0/label/6").right) / 2,
              (item("trend/0/dot/6").left + item("trend/0/dot/6").right) / 2, 2);
}

TEST_F(TrendViewTest, StandoutsAreSeen) {
  show({1e6, 1.001e6, 1.002e6, 1.001e6, 1e6, 1.001e6, 1e6, 1.002e6, 1.12e6});
  EXPECT_THAT(value("trend/sentence"), HasSubstr("run8, the newest, stands out: Step +11.9%"));
  EXPECT_THAT(value("trend/0/note"), HasSubstr("run8 stands out: +11.9%, worse"));
  EXPECT_GT(item("trend/0/dot/8").bottom - item("trend/0/dot/8").top,
            item("trend/0/dot/4").bottom - item("trend/0/dot/4").top);
  EXPECT_TRUE(has_item("trend/0/label/8"));
}

TEST_F(TrendViewTest, AClickShowsTheProfile) {
  show(one_step());
  click("trend/0/dot/4");
  EXPECT_EQ(host.captures, (std::pair<std::string, std::string>("/runs/run4.sqlite", "")));
}

TEST_F(TrendViewTest, TwoDotsAreCompared) {
  model.trend->active_path = "/runs/run7.sqlite";
  show(one_step());
  ImGui::GetIO().KeyCtrl = true;
  click("trend/0/dot/4");
  ImGui::GetIO().KeyCtrl = false;
  EXPECT_EQ(host.captures,
            (std::pair<std::string, std::string>("/runs/run4.sqlite", "/runs/run7.sqlite")))
      << "the earlier one is the one before";
}

TEST_F(TrendViewTest, TheActiveProfileOpensNothing) {
  model.trend->active_path = "/runs/run4.sqlite";
  show(one_step());
  click("trend/0/dot/4");
  EXPECT_EQ(host.captures.first, "");
}

TEST_F(TrendViewTest, AMenuRemovesTheCapture) {
  model.trend->active_path = "/runs/run11.sqlite";
  show(one_step());
  for (const int capture : {4, 11, 0}) {
    move_to(fmt::format("trend/0/dot/{}", capture));
    for (const bool down : {true, false}) {
      ImGui::GetIO().MouseDown[1] = down;
      frames(1);
    }
    frames(1);
    ASSERT_TRUE(has_item("copy/remove")) << capture;
    click("copy/remove");
    EXPECT_EQ(host.removed_capture, fmt::format("/runs/run{}.sqlite", capture));
  }
}

TEST_F(TrendViewTest, DeleteRemovesTheCaptureUnderThePointer) {
  show(one_step());
  move_to("trend/0/dot/5");
  hit(ImGuiKey_Delete);
  EXPECT_EQ(host.removed_capture, "/runs/run5.sqlite");
}

TEST_F(TrendViewTest, RemovedCapturesCanBeRestored) {
  show(one_step());
  EXPECT_FALSE(has_item("trend/restore"));
  model.trend->removed = 2;
  frames(2);
  EXPECT_THAT(value("trend/order"), HasSubstr(", 2 more removed"));
  click("trend/restore");
  EXPECT_EQ(host.command, "trend.restore");
}

TEST_F(TrendViewTest, FewCapturesSayWhatIsMissing) {
  show({1e6, 1.2e6, 1.3e6});
  EXPECT_EQ(value("trend/sentence"), "Steps need four captures.");
  EXPECT_THAT(value("trend/remark/0"), HasSubstr("differ by up to 2%"));
  EXPECT_FALSE(has_value("trend/remark/1"));
  EXPECT_FALSE(has_item("trend/0/level/0"));
  show({1e6, 1.2e6, 1.3e6, 1.3e6});
  EXPECT_FALSE(has_value("trend/remark/0"));
  EXPECT_THAT(value("trend/sentence"), Not(HasSubstr("need four")));
}

TEST_F(TrendViewTest, TheOrderHasItsReason) {
  show(one_step());
  EXPECT_EQ(value("trend/order"), "12 captures in order of recording");
  is_by_time = false;
  show(one_step());
  EXPECT_EQ(value("trend/order"), "12 captures in the order given");
  EXPECT_THAT(value("trend/remark/0"), HasSubstr("Recording times are missing or identical"));
}

TEST_F(TrendViewTest, TheLimitLeavesDotsFree) {
  show(one_step());
  const ItemRect text = item("trend/0/limit_text");
  for (int i = 0; i < 12; ++i) {
    const ItemRect dot = item(fmt::format("trend/0/dot/{}", i));
    const bool is_over = dot.right > text.left && dot.left < text.right && dot.bottom > text.top &&
                         dot.top < text.bottom;
    EXPECT_FALSE(is_over) << i;
  }
}

TEST_F(TrendViewTest, CutTitlesDiffer) {
  TrendPanel one, other, plain;
  one.title = "/module/ResNet::forward/Sequential::stage1/ResidualUnit/bn3/batch_norm (backward)";
  other.title = "/module/ResNet::forward/Sequential::stage2/ResidualUnit/bn3/batch_norm (backward)";
  plain.title = "Memory";
  std::vector<std::string> titles;
  draw = [&](Frame& frame, const Box&, BarLayer&) {
    titles = trend_panel_titles(frame, {one, plain, other}, 320);
  };
  frames(1);
  ASSERT_EQ(titles.size(), 3U);
  EXPECT_EQ(titles[1], "Memory");
  EXPECT_NE(titles[0], titles[2]);
  EXPECT_THAT(titles[0], HasSubstr("1"));
  EXPECT_THAT(titles[2], HasSubstr("2"));
}

TEST_F(TrendViewTest, BreaksAreMarked) {
  show(one_step(), 3);
  EXPECT_TRUE(has_item("trend/0/break/3"));
  EXPECT_GT(item("trend/0/break/3").left, item("trend/0/dot/2").right);
  EXPECT_LT(item("trend/0/break/3").right, item("trend/0/dot/3").left);
}

TEST_F(TrendViewTest, OneCaptureExplainsTheView) {
  frames(2);
  EXPECT_EQ(value("trend/none/title"), "A trend needs captures");
  click("page/trend.add");
  EXPECT_EQ(host.command, "trend.add");
}

TEST_F(TrendViewTest, MeasuringCanBeCanceled) {
  model.trend->measuring = base::Progress::Snapshot{"Measuring run3…", 2, 5};
  frames(2);
  EXPECT_EQ(value("trend/measuring/stage"), "Measuring run3…");
  click("trend/measuring/cancel");
  EXPECT_EQ(host.command, "trend.cancel");
}

TEST_F(TrendViewTest, LeftOutCapturesAreNamed) {
  auto measured = std::make_shared<workspace::MeasuredTrend>();
  measured->trend = trend_of(one_step());
  measured->paths.resize(12);
  measured->is_by_time = true;
  measured->left_out.push_back({"bad.sqlite", {"Not a profile", "", ""}});
  model.trend->measured = measured;
  frames(3);
  EXPECT_EQ(value("trend/remark/0"), "Left out: bad.sqlite (Not a profile)");
}

TEST_F(TrendViewTest, ChartsFitNarrowWindows) {
  ImGui::GetIO().DisplaySize = {500, 400};
  show(one_step());
  EXPECT_GE(item("trend/0/plot").left, 0);
  EXPECT_LE(item("trend/0/plot").right, 500);
}

}  // namespace
}  // namespace dlview::ui
