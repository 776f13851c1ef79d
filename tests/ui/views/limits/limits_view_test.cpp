// The view of limits on Dear ImGui alone: what gestures do to the one selection of its parts.
#include "ui/views/limits/limits_view.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "support/limit_rows.h"
#include "ui/view_fixture.h"

namespace dlview::ui {
namespace {

using aggregate::LimitRow;
using aggregate::Origin;
using ::testing::HasSubstr;
using testing::limit_row;
using testing::round_peaks;
using ::testing::StartsWith;

TEST(RooflinePlacement, PutsMarksOnPixels) {
  const aggregate::GpuPeaks peaks = round_peaks();
  const std::vector rows{limit_row("gemm", 1'000'000, 1e9, 1e7, Origin::counted, peaks)};
  const report::Roofline plot = report::prepare_roofline(rows, &peaks, report::LimitRule::best);
  const report::PlotMap map{100, 50, 500, 450, {-2, 6}, {9, 17}};
  const auto placed = place_marks(plot, map, 2);
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_FLOAT_EQ(placed[0].x, 300);  // x = 2 of -2 to 6
  EXPECT_FLOAT_EQ(placed[0].y, 300);  // y = 12 of 9 to 17
  EXPECT_FLOAT_EQ(placed[0].radius, 36);
  EXPECT_TRUE(place_marks(plot, {100, 50, 500, 450, {4, 6}, {9, 17}}, 1).empty());
}

TEST(RooflinePlacement, CountsDenseMarksPerCell) {
  report::Roofline plot;
  for (int i = 0; i < 3; ++i) plot.dense.push_back({0, 1.0, 10.0});
  plot.dense.push_back({0, 1.9, 10.9});
  plot.dense.push_back({0, 9.0, 10.0});  // outside
  const report::PlotMap map{0, 0, 100, 100, {0, 2}, {9, 11}};
  const auto cells = density_of(plot, map, 10);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0], (DensityCell{5, 5, 3}));
  EXPECT_EQ(cells[1], (DensityCell{9, 0, 1}));
}

TEST(RooflinePlacement, FindsTheUppermostMark) {
  const std::vector<PlacedMark> marks{{0, 100, 100, 18}, {1, 105, 100, 4}, {2, 300, 100, 4}};
  EXPECT_EQ(mark_at(marks, 104, 100, 2), 1U);
  EXPECT_EQ(mark_at(marks, 90, 100, 2), 0U);
  EXPECT_EQ(mark_at(marks, 200, 100, 2), std::nullopt);
  EXPECT_EQ(marks_in(marks, {99, 90, 110, 110}), (std::vector<uint32_t>{0, 1}));
}

TEST(RooflinePlacement, ShowsMemoryLevelsApart) {
  const aggregate::GpuPeaks peaks = round_peaks();
  const LimitRow row = limit_row("gemm", 1'000'000, 1e9, 1e7, Origin::counted, peaks);
  aggregate::CounterFacts facts;
  facts.flops = 1e9;
  facts.l2_bytes = 1e8;
  EXPECT_EQ(level_marks(row, facts), (std::vector<LevelMark>{{"L2", 1.0}}));
}

class LimitsViewTest : public testing::ViewFixture {
 protected:
  LimitsViewTest() : peaks_(round_peaks()) {
    open(testing::run_of_twenty_steps(), "train/step");
    show({limit_row("gemm", 1'000'000, 1e10, 1e7, Origin::counted, peaks_),
          limit_row("add", 400'000, 1e7, 1e8, Origin::counted, peaks_),
          limit_row("copy", 200'000, 0.0, 1e8, Origin::counted, peaks_),
          limit_row("other", 100'000, {}, {}, Origin::none, peaks_)});
  }
  void show(std::vector<LimitRow> rows) {
    view_.emplace();
    view_->show_rows(std::move(rows));
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      view_->draw(frame, box, {bars, tables_});
    };
    frames(4);
  }
  void command(TableCommand command) {
    tables_.command = command;
    frames(3);
  }
  std::string selected() { return view_->tables()[0]->model().selected(); }
  std::size_t selected_count() { return view_->tables()[0]->model().marks().count(); }

  aggregate::GpuPeaks peaks_;
  base::Scheduler scheduler_;
  Tables tables_{scheduler_};
  std::optional<LimitsView> view_;
};

TEST_F(LimitsViewTest, SelectsTheClickedMark) {
  click("limits/mark/gemm");
  EXPECT_EQ(selected(), "gemm");
  EXPECT_EQ(value("limits/evidence/name"), "gemm");
  click("limits/mark/add");
  EXPECT_EQ(selected(), "add");
  EXPECT_EQ(selected_count(), 1U);
}

TEST_F(LimitsViewTest, AddsMarksWithCtrl) {
  click("limits/mark/gemm");
  ImGui::GetIO().KeyCtrl = true;
  click("limits/mark/add");
  ImGui::GetIO().KeyCtrl = false;
  EXPECT_EQ(selected_count(), 2U);
}

TEST_F(LimitsViewTest, DeselectsBesideMarks) {
  click("limits/mark/gemm");
  const ItemRect plot = item("limits/roofline");
  click_at(plot.right - 5, plot.bottom - 5);
  EXPECT_EQ(selected(), "");
  EXPECT_FALSE(has_value("limits/evidence/name"));
}

TEST_F(LimitsViewTest, SelectsStripMarks) {
  click("limits/mark/copy");
  EXPECT_EQ(selected(), "copy");
}

TEST_F(LimitsViewTest, SelectsMarksInRectangle) {
  const ItemRect plot = item("limits/roofline");
  move_to(plot.left + 3, plot.top + 3);
  ImGui::GetIO().MouseDown[1] = true;
  frame();
  move_to(plot.right - 3, plot.bottom - 3);
  frame();
  ImGui::GetIO().MouseDown[1] = false;
  frames(2);
  EXPECT_EQ(selected_count(), 2U);  // gemm and add; copy stands in the strip
}

TEST_F(LimitsViewTest, ZoomsAroundThePointer) {
  const ItemRect before = item("limits/mark/gemm");
  move_to("limits/mark/gemm");
  turn_wheel(3);
  const ItemRect after = item("limits/mark/gemm");
  EXPECT_NEAR((before.left + before.right) / 2, (after.left + after.right) / 2, 1.5);
  EXPECT_TRUE(has_item("limits/fit"));
  command(TableCommand::limits_fit);
  EXPECT_FALSE(has_item("limits/fit"));
}

TEST_F(LimitsViewTest, ZoomsOneAxisWithShift) {
  const ItemRect gemm = item("limits/mark/gemm"), add = item("limits/mark/add");
  move_to("limits/mark/gemm");
  ImGui::GetIO().KeyShift = true;
  turn_wheel(1);
  ImGui::GetIO().KeyShift = false;
  EXPECT_NEAR(item("limits/mark/add").top, add.top, 0.5);
  EXPECT_NE(item("limits/mark/add").left, add.left);
  EXPECT_NEAR(item("limits/mark/gemm").left, gemm.left, 1.5);
}

TEST_F(LimitsViewTest, PansWhereDragged) {
  const ItemRect before = item("limits/mark/gemm");
  const ItemRect plot = item("limits/roofline");
  drag(plot.left + 40, plot.bottom - 40, 60);
  EXPECT_NEAR(item("limits/mark/gemm").left, before.left + 60, 3);
}

TEST_F(LimitsViewTest, HidesRowsOfAChip) {
  EXPECT_EQ(value("roofline/showing"), "Showing 4 rows · sorted by Can save at most");
  click("limits/chip/counters");
  EXPECT_THAT(value("roofline/showing"), StartsWith("Showing 1 row"));
  EXPECT_TRUE(view_->choice().hides[0]);
  EXPECT_THAT(value("limits/chip/counters"), StartsWith("counted 94"));
}

TEST_F(LimitsViewTest, SaysThatPeaksAreUnknown) {
  EXPECT_THAT(value("limits/roofline/note"), HasSubstr("are unknown. Add --peaks FILE."));
  EXPECT_THAT(value("limits/head"), HasSubstr("peaks: unknown"));
}

TEST_F(LimitsViewTest, CopiesCommandWithoutWork) {
  show({limit_row("other", 100'000, {}, {}, Origin::none, peaks_)});
  EXPECT_THAT(value("limits/roofline/why_empty"),
              StartsWith("No input shapes and no counters recorded"));
  click("limits/copy_command");
  EXPECT_THAT(host.copied, StartsWith("ncu "));
}

TEST_F(LimitsViewTest, KeepsChoicesInTheState) {
  command(TableCommand::limits_by_kernel);
  command(TableCommand::limits_rule);
  bool has_choice = false;
  for (const workspace::TableState& state : view_->table_states()) {
    if (state.table != LimitsView::kLimitChoice) continue;
    has_choice = true;
    EXPECT_EQ(state.selected, "by=kernel rule=uf");
  }
  EXPECT_TRUE(has_choice);
  LimitsView other;
  other.set_table({LimitsView::kLimitChoice, {}, "by=group rule=i"});
  EXPECT_EQ(other.choice().by, aggregate::LimitsBy::group);
}

TEST_F(LimitsViewTest, SavesThePlot) {
  command(TableCommand::limits_save_svg);
  EXPECT_EQ(host.saved.first, "roofline");
  EXPECT_THAT(host.saved.second, HasSubstr("<title>gemm"));
}

TEST_F(LimitsViewTest, SavesThePictureOfThePlotWithItsMarks) {
  command(TableCommand::limits_save_png);
  ASSERT_TRUE(host.pictured.has_value());
  EXPECT_EQ(host.pictured->first, "roofline");
  const ItemRect part = host.pictured->second, mark = item("limits/mark/gemm");
  EXPECT_TRUE(part.left < mark.left && mark.right < part.right);
  EXPECT_TRUE(part.top < mark.top && mark.bottom < part.bottom);
  host.pictured.reset();
  frame();
  EXPECT_FALSE(host.pictured.has_value());  // once
}

TEST_F(LimitsViewTest, CopiesShapesOfTheSelection) {
  click("limits/mark/add");
  command(TableCommand::limits_copy_shapes);
  EXPECT_THAT(host.copied, HasSubstr("\"add\""));
  EXPECT_THAT(host.copied, ::testing::Not(HasSubstr("\"gemm\"")));
}

TEST_F(LimitsViewTest, SelectsWhatAnotherTableChose) {
  tables_.chosen = {"ops", "add", model.profile};
  frames(3);
  EXPECT_EQ(selected(), "add");
}

TEST_F(LimitsViewTest, DimsWhatTheTableLeavesOut) {
  view_->tables()[0]->model().set_search("gemm");
  frames(3);
  EXPECT_THAT(value("roofline/showing"), StartsWith("Showing 1 of 4 rows"));
  EXPECT_TRUE(has_item("limits/mark/add"));  // faint, but there
}

}  // namespace
}  // namespace dlview::ui
