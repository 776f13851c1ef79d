#include "ui/views/iterations/iterations.h"

#include "ui/view_fixture.h"

namespace dlview::ui {
namespace {

class IterationsTest : public testing::ViewFixture {
 protected:
  IterationsTest() {
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      view_.draw(frame, box, bars, background_);
    };
    open(testing::run_of_twenty_steps(), "train/step");
    frames(3);
  }
  float per_iteration() const {
    const ItemRect plot = item("iterations/plot");
    return (plot.right - plot.left) / 21;
  }
  float x_of(int iteration) const {
    return item("iterations/plot").left + per_iteration() * (static_cast<float>(iteration) + 0.5f);
  }
  float middle_of_plot() const {
    const ItemRect plot = item("iterations/plot");
    return (plot.top + plot.bottom) / 2;
  }
  aggregate::IterationRange range() const { return model.selection.range; }
  void type_into(const std::string& field, const char* text) {
    click(field);
    type(text);
    hit(ImGuiKey_Enter);
  }

  base::Scheduler scheduler_;
  Background background_{scheduler_};
  IterationsView view_;
};

TEST_F(IterationsTest, DraggingABoundMovesTheRangeWhileItMoves) {
  drag("iterations/bound_start", 5 * per_iteration());
  EXPECT_EQ(range(), (aggregate::IterationRange{5, 20}));
  EXPECT_GE(host.selections, 4);
  drag("iterations/bound_stop", -3 * per_iteration());
  EXPECT_EQ(value("iterations/in_range"), "13");
  EXPECT_EQ(value("iterations/profiled_iterations"), "13 of 21");
}

TEST_F(IterationsTest, WithShiftTheSpanBetweenTheBoundsMovesAsAWhole) {
  host.select({model.selection.cut, {4, 9}});
  frames(2);
  testing::hold_shift(true);
  drag(x_of(6), middle_of_plot(), 3 * per_iteration());
  EXPECT_EQ(range(), (aggregate::IterationRange{7, 12}));
}

TEST_F(IterationsTest, DragDirectionChoosesBetweenEqualBounds) {
  host.select({model.selection.cut, {12, 12}});
  frames(2);
  ImGui::GetIO().DisplaySize = {700, 1600};
  set_scale(2);  // handles that reach over each other
  frames(3);
  const float x = item("iterations/slider/stop").left + 2;
  const float y = (item("iterations/slider/stop").top + item("iterations/slider/stop").bottom) / 2;
  ASSERT_LT(x, item("iterations/slider/start").right);
  drag(x, y, 4 * per_iteration());
  EXPECT_EQ(range().first, 12);
  EXPECT_GT(range().last, 14);
}

TEST_F(IterationsTest, OfAFewIterationsTheSliderIsAsWideAsTheirBars) {
  testing::Sketch sketch;
  const auto step = sketch.op("train/step");
  for (int64_t i = 0; i < 2; ++i) sketch.instance(step, 100 + 100 * i, 150 + 100 * i);
  open(sketch.finish(), "train/step");
  frames(3);
  const ItemRect plot = item("iterations/plot"), stop = item("iterations/slider/stop");
  ASSERT_LT(plot.right, 1000);
  EXPECT_NEAR((stop.left + stop.right) / 2, plot.right, 2);
}

TEST_F(IterationsTest, AStartTypedBeyondStopTakesStopAlong) {
  host.select({model.selection.cut, {2, 5}});
  frames(2);
  type_into("iterations/start_field", "12");
  EXPECT_EQ(range(), (aggregate::IterationRange{12, 12}));
  type_into("iterations/stop_field", "3");
  EXPECT_EQ(range(), (aggregate::IterationRange{3, 3}));
}

TEST_F(IterationsTest, TypingAStopDoesNotMoveStart) {
  host.select({model.selection.cut, {8, 20}});
  frames(2);
  click("iterations/stop_field");
  type("1");
  EXPECT_EQ(range(), (aggregate::IterationRange{8, 20}));
  type("5");
  EXPECT_EQ(range(), (aggregate::IterationRange{8, 15}));
}

TEST_F(IterationsTest, ANumberBeyondTheRunIsClampedWithANotice) {
  type_into("iterations/stop_field", "500");
  EXPECT_EQ(range(), (aggregate::IterationRange{0, 20}));
  EXPECT_EQ(value("iterations/range_notice"), "The iterations are 0–20");
  click("iterations/stop_field");
  EXPECT_EQ(value("iterations/range_notice"), "(none)");
}

TEST_F(IterationsTest, TheCutKeepsTheRangeAndAnotherKeyOpShowsAll) {
  host.select({model.selection.cut, {4, 9}});
  frames(2);
  click("iterations/cut/end");
  EXPECT_EQ(model.selection.cut.kind, aggregate::CutKind::end);
  EXPECT_EQ(range(), (aggregate::IterationRange{4, 9}));
  click("iterations/key_op_open");
  frames(2);
  click("iterations/key_op_list/net/conv");
  EXPECT_EQ(model.selection.cut.key_op, "net/conv");
  EXPECT_EQ(range(), (aggregate::IterationRange{0, 20}));
}

TEST_F(IterationsTest, ANewMarkerShowsAllButASplitKeepsTheRange) {
  host.select({model.selection.cut, {4, 9}});
  frames(2);
  click("iterations/split_by/gpu");
  frames(2);
  EXPECT_EQ(model.selection.cut.split_by, aggregate::SplitBy::gpu);
  EXPECT_EQ(range(), (aggregate::IterationRange{4, 9}));
  EXPECT_EQ(value("iterations/marker"), "Split at train/step by GPU · 21 iterations");
  EXPECT_EQ(model.aggregation->iteration_table->iterations.split_by, aggregate::SplitBy::gpu);
  click("iterations/marker_next");
  frames(2);
  EXPECT_NE(model.selection.cut.key_op, "train/step");
  EXPECT_EQ(model.selection.cut.split_by, aggregate::SplitBy::gpu);
  EXPECT_EQ(range().first, 0);
  click("iterations/split_by/host");
  EXPECT_EQ(model.selection.cut.split_by, aggregate::SplitBy::host);
}

TEST_F(IterationsTest, PreviewsACandidateUntilEscape) {
  click("iterations/key_op_open");
  frames(2);
  move_to("iterations/key_op_list/net/twice");
  frames(2);
  ASSERT_TRUE(host.previewed);
  EXPECT_EQ(host.previewed->key_op, "net/twice");
  EXPECT_EQ(value("iterations/preview"), "Preview: 41 iterations");
  EXPECT_TRUE(value("iterations/key_op_reason").ends_with("2 instances per step"));
  EXPECT_EQ(host.selections, 0);
  hit(ImGuiKey_Escape);
  EXPECT_FALSE(host.previewed);
  EXPECT_EQ(value("iterations/preview"), "(none)");
  EXPECT_EQ(model.selection.cut.key_op, "train/step");
}

TEST_F(IterationsTest, ASearchedKeyOpIsTakenByEnter) {
  click("iterations/key_op_open");
  frames(2);
  type("CONV");
  EXPECT_FALSE(has_item("iterations/key_op_list/net/twice"));
  hit(ImGuiKey_Enter);
  EXPECT_EQ(model.selection.cut.key_op, "net/conv");
  EXPECT_FALSE(host.previewed);
}

TEST_F(IterationsTest, ANameThatNoOpHasLeavesTheOldKeyOp) {
  click("iterations/key_op_open");
  frames(2);
  type("nosuch");
  hit(ImGuiKey_Enter);
  EXPECT_EQ(value("iterations/key_op_missing"), "No op, NVTX range or annotation is named nosuch.");
  EXPECT_EQ(model.selection.cut.key_op, "train/step");
  EXPECT_EQ(host.selections, 0);
}

TEST_F(IterationsTest, WithoutAChoiceTheSlowestIterationIsCompared) {
  EXPECT_TRUE(value("iterations/comparison").starts_with("Slowest of the range: iteration 10"));
  EXPECT_EQ(value("iterations/comparison/Data loader"), "+200\u202fns");
  EXPECT_EQ(value("iterations/comparison/ops/0"), "data/next +200\u202fns");
}

TEST_F(IterationsTest, TheComparisonSaysThatFiltersDoNotApply) {
  EXPECT_EQ(value("iterations/comparison/filters"), "(none)");
  aggregate::Selection filtered = model.selection;
  filtered.filters = {{.kind = aggregate::FilterKind::device, .number = 0}};
  host.select(filtered);
  frame();
  EXPECT_TRUE(value("iterations/comparison/filters").starts_with("Filters do not apply"));
}

TEST_F(IterationsTest, AClickSelectsAnIterationAndEscapeClearsIt) {
  click_at(x_of(7), middle_of_plot());
  EXPECT_EQ(model.compared.iteration, 7);
  move_to(5, 5);
  frames(2);
  EXPECT_TRUE(value("iterations/comparison").starts_with("Iteration 7 "));
  EXPECT_EQ(host.selections, 0);
  hit(ImGuiKey_Escape);
  EXPECT_FALSE(model.compared.iteration);
}

TEST_F(IterationsTest, ADragThatPansSelectsNothing) {
  drag(x_of(7), middle_of_plot(), 40);
  EXPECT_FALSE(model.compared.iteration);
}

TEST_F(IterationsTest, ThePopupOfAnOutlierNamesItsClassAndOp) {
  move_to(x_of(10), middle_of_plot());
  frames(2);
  EXPECT_TRUE(value("iterations/popup").starts_with("Iteration 10"));
  EXPECT_NE(value("iterations/popup_note").find("data loading"), std::string::npos);
  EXPECT_NE(value("iterations/popup_note").find("data/next"), std::string::npos);
}

TEST_F(IterationsTest, TheLastIterationIsSaidToEndWithTheRecording) {
  move_to(x_of(20), middle_of_plot());
  frames(2);
  EXPECT_TRUE(value("iterations/popup").starts_with("Iteration 20"));
  EXPECT_NE(value("iterations/popup_note").find("Ends with the capture"), std::string::npos);
  move_to(x_of(19), middle_of_plot());
  frames(2);
  EXPECT_EQ(value("iterations/popup_note"), "");
}

TEST_F(IterationsTest, PopupNotesKernelsAfterTheLastIteration) {
  testing::Sketch sketch;
  const auto op = sketch.op("op");
  for (int64_t i = 0; i < 2; ++i) {
    sketch.user_range("/step", 100 * i, 100 * i + 80);
    sketch.kernel(sketch.instance(op, 100 * i + 10, 100 * i + 20), 100 * i + 30, 100 * i + 91);
  }
  open(sketch.finish(), "step");
  frames(3);
  const ItemRect plot = item("iterations/plot");
  const auto note_at = [&](float part) {
    move_to(plot.left + part * (plot.right - plot.left), middle_of_plot());
    frames(2);
    return value("iterations/popup_note");
  };
  EXPECT_EQ(note_at(0.25f), "") << "the kernel ends before the next step starts";
  EXPECT_EQ(note_at(0.75f),
            "10\u202fns of its kernels ran outside its time\n"
            "Ends with its marker, not at the next iteration");
}

TEST_F(IterationsTest, WhatMadeTheDifferenceIsCopiedAndSaved) {
  host.select_iteration(10);
  frames(2);
  const auto choose = [this](const std::string& entry) {
    move_to("iterations/comparison/ops/0");
    for (const bool down : {true, false}) {
      ImGui::GetIO().MouseDown[1] = down;
      frame();
    }
    frame();
    click("copy/" + entry);
  };
  choose("row");
  EXPECT_EQ(host.copied.substr(host.copied.find('\n') + 1),
            "OP_4\tdata/next\tDataLoader\tCPU\t1\t0\t200\t0\t200\t10\n");
  const std::string of_one = host.copied;
  choose("rows");
  EXPECT_EQ(host.copied, of_one + "gpu_idle\tGPU idle\tidle\tGPU\t\t\t259\t59\t200\t\n")
      << "the only op that differs, and the wait that it made";

  click("iterations/comparison/export");
  click("menu/iterations/comparison/export_csv");
  ASSERT_TRUE(host.exported);
  EXPECT_EQ(host.exported->name, "differing_ops");
  EXPECT_TRUE(host.exported->title.starts_with("Differences by op, iteration 10 vs. "));
  EXPECT_EQ(host.exported->rows->data->table.row_count, 2U);
  EXPECT_EQ(host.exported->rows->rows.size(), 2U);
  EXPECT_EQ(host.exported->columns.size(), host.exported->rows->data->table.columns.size());
}

TEST_F(IterationsTest, NextOutlierSelectsIt) {
  click("iterations/next_outlier");
  EXPECT_EQ(model.compared.iteration, 10);
}

TEST_F(IterationsTest, AFlagBringsBackAHiddenBound) {
  move_to(x_of(10), middle_of_plot());
  turn_wheel(4);
  ASSERT_TRUE(has_item("iterations/outside_start"));
  EXPECT_FALSE(has_item("iterations/bound_start"));
  EXPECT_TRUE(has_item("iterations/slider/visible"));
  click("iterations/outside_stop");
  frames(2);
  EXPECT_FALSE(has_item("iterations/outside_stop"));
  EXPECT_EQ(host.selections, 0);
}

TEST_F(IterationsTest, CtrlWheelScalesBarsAndDoubleClickFits) {
  EXPECT_EQ(value("iterations/chart_top"), "317\u202fns");  // iteration 10 with head room
  move_to(x_of(3), middle_of_plot());
  testing::hold_ctrl(true);
  turn_wheel(3);
  testing::hold_ctrl(false);
  EXPECT_EQ(value("iterations/chart_top"), "162\u202fns");  // 0.8 cubed of it
  EXPECT_FALSE(has_item("iterations/outside_start"));
  for (const bool down : {true, false, true, false}) press(down);
  frames(2);
  EXPECT_EQ(value("iterations/chart_top"), "317\u202fns");
}

TEST_F(IterationsTest, BoundsOfANarrowIterationShareAFlag) {
  host.select({model.selection.cut, {12, 12}});
  ImGui::GetIO().DisplaySize = {500, 600};
  frames(3);
  const ItemRect start = item("iterations/flag_start"), stop = item("iterations/flag_stop");
  EXPECT_EQ(start.right, stop.left) << "its halves";
  EXPECT_NEAR(start.right, x_of(12), 2) << "above the bar";
  drag(stop.right - 2, (stop.top + stop.bottom) / 2, 4 * per_iteration());
  EXPECT_EQ(range().first, 12);
  EXPECT_GT(range().last, 14);
  const ItemRect apart = item("iterations/flag_start");
  EXPECT_GT(apart.right - apart.left, start.right - start.left) << "a whole flag again";
}

TEST_F(IterationsTest, FlagsStayInsideTheWindowAtEverySize) {
  for (const float scale : {1.0f, 2.0f}) {
    set_scale(scale);
    for (const ImVec2 size : {ImVec2{900, 600}, ImVec2{1280, 800}, ImVec2{3840, 2160}}) {
      ImGui::GetIO().DisplaySize = size;
      frames(3);
      for (const char* name : {"iterations/flag_start", "iterations/flag_stop"}) {
        EXPECT_GE(item(name).left, 0) << name;
        EXPECT_LE(item(name).right, size.x) << name;
      }
    }
  }
}

}  // namespace
}  // namespace dlview::ui
