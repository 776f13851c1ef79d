#include "ui/strip/strip.h"

#include "aggregate/steady.h"
#include "ui/view_fixture.h"

namespace dlview::ui {
namespace {

class StripTest : public testing::ViewFixture {
 protected:
  StripTest() {
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      strip_.draw(frame, {box.left, box.top, box.right, box.top + strip_height(frame)}, bars);
    };
    open(testing::run_of_twenty_steps(), "train/step");
    frames(3);
  }
  float per_iteration() const {
    const ItemRect plot = item("strip/plot");
    return (plot.right - plot.left) / 21;
  }
  aggregate::IterationRange range() const { return model.selection.range; }

  IterationStrip strip_;
};

TEST_F(StripTest, SaysWhichIterationsOfHowManyAndWhatCutsThem) {
  host.select({model.selection.cut, {3, 12}});
  frames(2);
  EXPECT_EQ(value("strip/range"), "Iterations 3 – 12");
  EXPECT_EQ(value("strip/part"), "10 of 21");
  EXPECT_EQ(value("strip/marker"), "Split at step by host");
}

TEST_F(StripTest, AKeyOpGivenByIdIsShownByName) {
  open(testing::run_of_twenty_steps(), "OP_1");
  frames(2);
  EXPECT_EQ(value("strip/marker"), "Split at step by host");
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
  EXPECT_TRUE(value("strip/marker").ends_with(" by host"));
  EXPECT_NE(value("strip/marker"), "Split at step by host");
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
  EXPECT_EQ(value("strip/part"), "1 of 1");
  EXPECT_EQ(value("strip/marker"), "Not split");
  EXPECT_TRUE(value("strip/marker_next").starts_with("best candidate: "));
  EXPECT_FALSE(has_item("strip/start"));
}

}  // namespace
}  // namespace dlview::ui
