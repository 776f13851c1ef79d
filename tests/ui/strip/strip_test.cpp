#include "ui/strip/strip.h"

#include "aggregate/steady.h"
#include "ui/view_fixture.h"

namespace dlview::ui {
namespace {

class StripTest : public testing::ViewFixture {
 protected:
  StripTest() {
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      strip_.draw(frame,
                  {box.left, box.top, box.right, box.top + strip_height(frame, box.height())}, bars,
                  marked_);
    };
    open(testing::run_of_twenty_steps(), "train/step");
    frames(3);
  }
  float per_iteration() const {
    const ItemRect plot = item("strip/plot");
    return (plot.right - plot.left) / 21;
  }
  aggregate::IterationRange range() const { return model.selection.range; }
  // Runs 1, 2, ... with the same profile, whose clocks are `ahead_ns` apart.
  void show_others(int count, int64_t ahead_ns = 0) {
    for (int run = 1; run <= count; ++run) {
      OtherRun other;
      other.name = "run " + std::to_string(run);
      other.run = model;
      other.run.run = run;
      other.clock.ns = run * ahead_ns;
      model.other_runs.push_back(std::move(other));
    }
    frames(2);
  }

  IterationStrip strip_;
  std::vector<timeline::TimeWindow> marked_;
};

TEST_F(StripTest, SaysWhichIterationsOfHowManyAndWhatCutsThem) {
  host.select({model.selection.cut, {3, 12}});
  frames(2);
  EXPECT_EQ(value("strip/range"), "Iterations 3–12");
  EXPECT_EQ(value("strip/part"), "10 of 21");
  EXPECT_EQ(value("strip/marker"), "Split at train/step");
}

TEST_F(StripTest, AKeyOpGivenByIdIsShownByName) {
  open(testing::run_of_twenty_steps(), "OP_1");
  frames(2);
  EXPECT_EQ(value("strip/marker"), "Split at train/step");
}

TEST_F(StripTest, SplitsAtTheNextBestMarkerOnAClick) {
  ASSERT_TRUE(value("strip/marker_next").starts_with("alternative: "))
      << value("strip/marker_next");
  const std::vector<aggregate::Filter> filters{
      {.kind = aggregate::FilterKind::tensor_core, .number = 1}};
  host.select({model.selection.cut, {3, 12}, filters});
  frames(2);
  click("strip/marker_next");
  frames(2);
  EXPECT_NE(model.selection.cut.key_op, "train/step");
  EXPECT_EQ(model.selection.range.first, 0);
  EXPECT_EQ(model.selection.filters, filters);
  EXPECT_TRUE(value("strip/marker").starts_with("Split at "));
  EXPECT_NE(value("strip/marker"), "Split at train/step");
}

TEST_F(StripTest, TheBoundsAndTheSpanBetweenThemCanBeDragged) {
  drag("strip/start", 4 * per_iteration());
  drag("strip/stop", -6 * per_iteration());
  EXPECT_EQ(range(), (aggregate::IterationRange{4, 14}));
  drag("strip/span", 3 * per_iteration());
  EXPECT_EQ(range(), (aggregate::IterationRange{7, 17}));
}

TEST_F(StripTest, ADragKeepsTheFilters) {
  const std::vector<aggregate::Filter> filters{
      {.kind = aggregate::FilterKind::tensor_core, .number = 1}};
  host.select({model.selection.cut, {3, 12}, filters});
  frames(2);
  drag("strip/start", 2 * per_iteration());
  EXPECT_EQ(range(), (aggregate::IterationRange{5, 12}));
  EXPECT_EQ(model.selection.filters, filters);
}

TEST_F(StripTest, ADragBeyondTheEndsStopsThere) {
  host.select({model.selection.cut, {10, 15}});
  frames(2);
  drag("strip/span", 2000);
  EXPECT_EQ(range(), (aggregate::IterationRange{15, 20}));
  drag("strip/start", 2000);
  EXPECT_EQ(range(), (aggregate::IterationRange{20, 20}));
}

TEST_F(StripTest, TheWheelZoomsAndADoubleClickShowsAll) {
  const ItemRect before = item("strip/start");
  move_to("strip/plot");
  turn_wheel(4);
  EXPECT_FALSE(has_item("strip/start"));
  press(true);
  press(false);
  press(true);
  press(false);
  frames(2);
  EXPECT_EQ(item("strip/start"), before);
  EXPECT_EQ(host.selections, 0);
}

TEST_F(StripTest, TheSteadyRangeIsOneClick) {
  host.select({model.selection.cut, {3, 12}});
  frames(2);
  ASSERT_TRUE(has_item("strip/steady"));
  click("strip/steady");
  EXPECT_EQ(range(), aggregate::steady_range(model.aggregation->iteration_table->iterations));
}

TEST_F(StripTest, OneIterationHasNoBounds) {
  open(testing::run_of_twenty_steps(), "");
  frames(2);
  EXPECT_EQ(value("strip/range"), "Iteration 0");
  EXPECT_EQ(value("strip/part"), "");
  EXPECT_EQ(value("strip/marker"), "Not split");
  EXPECT_TRUE(value("strip/marker_next").starts_with("best candidate: "));
  EXPECT_FALSE(has_item("strip/start"));
}

TEST_F(StripTest, DragsTheRangeOfAnotherRun) {
  show_others(2);
  EXPECT_EQ(item("strip/run_2/plot").left, item("strip/plot").left);
  EXPECT_GT(item("strip/run_2/plot").top, item("strip/run_1/plot").bottom);
  EXPECT_EQ(value("strip/run_2/range"), "0–20");
  drag("strip/run_2/start", 4 * per_iteration());
  EXPECT_EQ(range(), (aggregate::IterationRange{0, 20}));
  ASSERT_FALSE(host.selected_in.empty());
  EXPECT_EQ(host.selected_in.back().first, 2);
  EXPECT_EQ(host.selected_in.back().second.range, (aggregate::IterationRange{4, 20}));
  EXPECT_EQ(host.selections, 0);
}

TEST_F(StripTest, CountsRunsWithoutARow) {
  show_others(6);
  EXPECT_TRUE(has_item("strip/run_6/plot"));
  EXPECT_FALSE(has_value("strip/more"));
  show_others(1);
  EXPECT_TRUE(has_item("strip/run_5/plot"));
  EXPECT_FALSE(has_item("strip/run_6/plot"));
  EXPECT_EQ(value("strip/more"), "2 more profiles");
}

TEST_F(StripTest, LeavesHalfTheHeightToTheView) {
  show_others(6);
  set_scale(2);
  frames(2);
  EXPECT_EQ(value("strip/more"), "4 more profiles");
  EXPECT_LE(item("strip/run_2/plot").bottom + 60, 400) << "with the line that counts";
}

TEST_F(StripTest, MarksOnlyWhatARunHas) {
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  marked_ = {{rows[3].start_ns, rows[3].duration_ns()}};
  show_others(1, 10 * rows.back().stop_ns);
  EXPECT_TRUE(has_item("strip/visible"));
  EXPECT_FALSE(has_item("strip/run_1/visible"));
  model.other_runs[0].clock.ns = 0;
  frames(2);
  EXPECT_EQ(item("strip/run_1/visible").left, item("strip/visible").left);
}

TEST_F(StripTest, ZoomsOneRowAlone) {
  show_others(1);
  const ItemRect before = item("strip/start");
  move_to("strip/run_1/plot");
  turn_wheel(4);
  EXPECT_FALSE(has_item("strip/run_1/start"));
  EXPECT_EQ(item("strip/start"), before);
}

}  // namespace
}  // namespace dlview::ui
