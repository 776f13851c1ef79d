// The window of the Timeline on Dear ImGui alone: keys, wheel, hand, rulers, iterations and
// selected times.

#include <cmath>

#include <gmock/gmock.h>

#include "timeline/time_text.h"
#include "ui/theme.h"
#include "ui/views/timeline_fixture.h"

namespace dlview::ui {
namespace {

using timeline::TimeWindow;

class TimelineWindowTest : public testing::TimelineFixture {};

TEST_F(TimelineWindowTest, KeysZoomAboutPointerAndGoBack) {
  const ItemRect plot = item("timeline/plot");
  const float x = std::floor(plot.left + (plot.right - plot.left) / 4);
  move_to(x, (plot.top + plot.bottom) / 2);
  const TimeWindow before = window();
  const auto columns = static_cast<int32_t>(plot.right - plot.left);
  const auto column = static_cast<int32_t>(x - plot.left);
  const int64_t at = timeline::TimeMap(before, columns).begin_ns(column);
  run(TimelineCommand::zoom_in);
  EXPECT_LT(window().length_ns, before.length_ns);
  EXPECT_NEAR(timeline::TimeMap(window(), columns).column(at), column, 2);
  run(TimelineCommand::pan_right);
  run(TimelineCommand::back);
  EXPECT_EQ(view_.window(), std::nullopt);
}

TEST_F(TimelineWindowTest, PartsOfAStepAddUpToIt) {
  const double whole = static_cast<double>(window().length_ns);
  run(TimelineCommand::zoom_in);
  const auto length = static_cast<double>(window().length_ns);
  run(TimelineCommand::back);
  for (int i = 0; i < 4; ++i) view_.run(TimelineCommand::zoom_in, 0.25);
  frames(2);
  EXPECT_NEAR(static_cast<double>(window().length_ns), length, whole / 500);
  run(TimelineCommand::back);  // a key that is held is one step back
  EXPECT_EQ(view_.window(), std::nullopt);
}

TEST_F(TimelineWindowTest, CtrlAndTheWheelZoomAndShiftPans) {
  move_to("timeline/plot");
  testing::hold_ctrl(true);
  turn_wheel(1);
  testing::hold_ctrl(false);
  const TimeWindow zoomed = window();
  EXPECT_LT(zoomed.length_ns, model.lanes->whole.length_ns);
  testing::hold_shift(true);
  turn_wheel(-1);
  testing::hold_shift(false);
  EXPECT_GT(window().start_ns, zoomed.start_ns);
  EXPECT_EQ(window().length_ns, zoomed.length_ns);
}

TEST_F(TimelineWindowTest, AHandDragsTheRun) {
  run(TimelineCommand::zoom_in);
  const TimeWindow before = window();
  const ItemRect plot = item("timeline/plot");
  drag((plot.left + plot.right) / 2, plot.bottom - 20, 100);
  EXPECT_LT(window().start_ns, before.start_ns);
  EXPECT_EQ(window().length_ns, before.length_ns);
  EXPECT_FALSE(view_.has_selection());
}

TEST_F(TimelineWindowTest, AHandOnTheRulersDragsTheRunAndIsNoClick) {
  for (const char* ruler : {"timeline/ruler", "timeline/iterations"}) {
    run(TimelineCommand::whole_run);
    run(TimelineCommand::zoom_in);
    const TimeWindow before = window();
    drag(ruler, 100);
    EXPECT_LT(window().start_ns, before.start_ns) << ruler;
    EXPECT_EQ(window().length_ns, before.length_ns) << ruler;
  }
}

TEST_F(TimelineWindowTest, TheWheelZoomsOnTheRulersToo) {
  for (const char* ruler : {"timeline/ruler", "timeline/iterations"}) {
    const int64_t before = window().length_ns;
    move_to(ruler);
    turn_wheel(1);
    EXPECT_LT(window().length_ns, before) << ruler;
  }
}

TEST_F(TimelineWindowTest, CtrlDragSelectsATimeToFilterTo) {
  const ItemRect plot = item("timeline/plot");
  testing::hold_ctrl(true);
  drag(plot.left + 100, plot.bottom - 20, 300);
  testing::hold_ctrl(false);
  frames(2);
  ASSERT_TRUE(view_.has_selection());
  EXPECT_EQ(view_.window(), std::nullopt);
  click("timeline/stretch/filter");
  frames(2);
  ASSERT_EQ(model.selection.filters.size(), 1U);
  EXPECT_EQ(model.selection.filters[0].kind, aggregate::FilterKind::time);
  const aggregate::TimeWindow filtered = model.selection.filters[0].window;
  run(TimelineCommand::zoom_to_selection);
  EXPECT_EQ(window(), timeline::fitted(filtered.start_ns, filtered.stop_ns, model.lanes->whole));
  click("timeline/stretch/clear");
  frames(2);
  EXPECT_FALSE(view_.has_selection());
}

TEST_F(TimelineWindowTest, TheTimeBarLeavesTheRulersFree) {
  view_.request({.window = {}, .iteration = {}, .stretch = TimeWindow{550, 100}});
  frames(3);
  EXPECT_EQ(value("timeline/stretch/place"), timeline::span_text({550, 100}) + " · iterations 5–6");
  EXPECT_GT(item("timeline/stretch/zoom").top, item("timeline/plot").top);
  const TimeWindow before = window();
  drag("timeline/ruler", 100);
  EXPECT_LT(window().start_ns, before.start_ns);
  EXPECT_EQ(window().length_ns, before.length_ns);
  view_.request({.window = {}, .iteration = {}, .stretch = TimeWindow{510, 50}});
  frames(3);
  EXPECT_EQ(value("timeline/stretch/place"), timeline::span_text({510, 50}) + " · iteration 5");
}

TEST_F(TimelineWindowTest, NumbersOfIterationsStayAsLongAsTheyFit) {
  ImGui::GetIO().DisplaySize.x = 640;
  frames(3);
  EXPECT_LT(item("timeline/plot").right - item("timeline/plot").left, 21 * 24);
  EXPECT_GE(std::stoi(value("timeline/iteration_labels")), 19) << "those of the parts are shorter";
  ImGui::GetIO().DisplaySize.x = 400;
  frames(3);
  EXPECT_EQ(value("timeline/iterations"), "21");
  EXPECT_LT(std::stoi(value("timeline/iteration_labels")), 21);
}

TEST(IterationLabels, OfOutliersComeFirst) {
  std::vector<LabelPlace> labels;
  for (int64_t iteration = 0; iteration < 12; ++iteration) {
    const auto left = 10 * static_cast<float>(iteration);
    labels.push_back({iteration, left, left + 8});  // a stride of 1 with a gap of 2, of 2 with 5
  }
  EXPECT_THAT(labels_to_draw(labels, 5), ::testing::ElementsAre(0, 2, 4, 6, 8, 10));
  labels[3].is_outlier = labels[9].is_outlier = true;
  EXPECT_THAT(labels_to_draw(labels, 5), ::testing::ElementsAre(3, 9, 0, 6));
  labels[4].is_outlier = true;
  EXPECT_THAT(labels_to_draw(labels, 5), ::testing::ElementsAre(3, 9, 0, 6)) << "4 touches 3";
  EXPECT_THAT(labels_to_draw({}, 5), ::testing::IsEmpty());
}

TEST(IterationLabels, ComeAtARegularStride) {
  // Boxes of 4 and 26 pixels by turns, with labels of 12 pixels across their middle.
  std::vector<LabelPlace> labels;
  float left = 0;
  for (int64_t iteration = 0; iteration < 60; ++iteration) {
    const float width = iteration % 2 == 0 ? 4 : 26;
    labels.push_back({iteration, left + width / 2 - 6, left + width / 2 + 6});
    left += width;
  }
  EXPECT_EQ(label_stride(labels, 3), 1);
  EXPECT_EQ(label_stride(labels, 4), 2) << "neighbors are 3 pixels apart";
  EXPECT_EQ(label_stride(labels, 18), 2);
  EXPECT_EQ(label_stride(labels, 19), 5);
  EXPECT_EQ(label_stride(labels, 70), 10);
  EXPECT_EQ(label_stride(labels, 1e6f), 100) << "only that of iteration 0 is left";
  EXPECT_EQ(label_stride({}, 5), 1);
  labels = {{0, 0, 10}, {1, 5, 15}};
  for (int64_t iteration = 2; iteration < 30; ++iteration) {
    labels.push_back(
        {iteration, 20 * static_cast<float>(iteration), 10 + 20 * static_cast<float>(iteration)});
  }
  EXPECT_EQ(label_stride(labels, 3), 1) << "one short iteration is left out";
}

TEST_F(TimelineWindowTest, AClickOnAnIterationZoomsToIt) {
  const ItemRect ruler = item("timeline/iterations");
  click_at((ruler.left + ruler.right) / 2, (ruler.top + ruler.bottom) / 2);
  frames(2);
  EXPECT_LT(window().length_ns, 400);
}

TEST_F(TimelineWindowTest, BeginsWhereItIsAskedTo) {
  view_.request({.window = TimeWindow{300, 100}, .iteration = {}});
  frames(2);
  EXPECT_EQ(window(), (TimeWindow{300, 100}));
  EXPECT_EQ(view_.status().substr(0, 8), "view 100");
  view_.request({.window = {}, .iteration = 3});
  frames(2);
  const auto& row = model.aggregation->iteration_table->iterations.rows[3];
  EXPECT_EQ(window(), timeline::fitted(row.start_ns, row.stop_ns, model.lanes->whole));
}

TEST_F(TimelineWindowTest, MarksOutliersInAmberWithTheirCause) {
  const ItemRect ruler = item("timeline/iterations");
  const auto point_at = [&](int64_t iteration) {
    const auto& row =
        model.aggregation->iteration_table->iterations.rows[static_cast<std::size_t>(iteration)];
    const timeline::TimeMap map(window(), static_cast<int32_t>(ruler.right - ruler.left));
    return ruler.left + static_cast<float>(map.column((row.start_ns + row.stop_ns) / 2)) + 0.5f;
  };
  const float y = (ruler.top + ruler.bottom) / 2;
  const Palette& colors = palette(model.theme);
  model.outliers = nullptr;
  frames(2);
  const Color before = color_at(point_at(10), y);
  aggregate::Outliers outliers{.typical = 5, .rows = {}};
  outliers.rows.push_back({.iteration = 10, .kind = aggregate::OutlierClass::data_loader});
  model.outliers = std::make_shared<const aggregate::Outliers>(std::move(outliers));
  frames(2);
  EXPECT_NE(color_at(point_at(10), y), before);
  EXPECT_EQ(color_at(point_at(10), y), mix(colors.background, colors.attention, 0.35f));
  EXPECT_EQ(color_at(point_at(12), y), before);
  move_to(point_at(10), y);
  frame();
  EXPECT_NE(value("tooltip").find("Outlier: data loading"), std::string::npos) << value("tooltip");
}

}  // namespace

}  // namespace dlview::ui
