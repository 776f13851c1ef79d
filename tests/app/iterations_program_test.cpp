// The strip and the Iterations view of the real program on a generated run, by input events.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui.h>

#include "app/run_support.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class StripOfProgram : public RunTest {};
class IterationsOfProgram : public RunTest {
 protected:
  void SetUp() override {
    RunTest::SetUp();
    if (offscreen_) must("command view.iterations");
  }
  // Moves the mouse to the middle of an iteration's bar while all are shown.
  void point_at(int64_t iteration) {
    const Json plot = item("iterations/plot");
    const double left = plot[0], right = plot[2];
    const double count = state()["aggregation"]["iterations"];
    const double x = left + (right - left) * (static_cast<double>(iteration) + 0.5) / count;
    must(fmt::format("move {} {}", x, (plot[1].get<double>() + plot[3].get<double>()) / 2));
  }
};

TEST_F(StripOfProgram, StandsAboveEveryViewButTheIterations) {
  EXPECT_TRUE(has_item("strip/plot"));
  must("command view.iterations");
  EXPECT_FALSE(has_item("strip/plot"));
  EXPECT_TRUE(has_item("iterations/plot"));
}

TEST_F(StripOfProgram, EitherBoundAndTheSpanAreDragged) {
  must("drag-item strip/start 200 0");
  const int64_t first = range()[0], last = range()[1];
  EXPECT_GT(first, 3);
  EXPECT_EQ(last, kRunSteps);
  must("drag-item strip/stop -300 0");
  EXPECT_EQ(range()[0], first);
  EXPECT_LT(range()[1], last - 3);
  const int64_t size = range()[1].get<int64_t>() - first;
  must("drag-item strip/span 100 0");
  EXPECT_GT(range()[0], first);
  EXPECT_EQ(range()[1].get<int64_t>() - range()[0].get<int64_t>(), size);
  EXPECT_EQ(state()["aggregation"]["selection"], state()["selection"]);
}

TEST_F(StripOfProgram, TheWheelZoomsAndADoubleClickShowsAllAgain) {
  const Json stop = item("strip/stop");
  must("move-item strip/plot\nwheel 4");
  EXPECT_FALSE(has_item("strip/stop"));
  must("double-click-item strip/plot");
  EXPECT_EQ(item("strip/stop"), stop);
}

TEST_F(StripOfProgram, TheSteadyRangeIsOfferedWithItsReason) {
  EXPECT_THAT(tooltip_at("strip/steady"), HasSubstr("five consecutive iterations near the median"));
  const std::string offered = value("strip/steady");
  must("click-item strip/steady");
  EXPECT_THAT(offered, StartsWith(fmt::format("{}–{}", range()[0].get<int64_t>(),
                                              range()[1].get<int64_t>())));
  EXPECT_GT(range()[0], 0);
  must("key Alt+Left");
  EXPECT_EQ(range(), Json::array({0, kRunSteps}));
}

TEST_F(IterationsOfProgram, CtrlAndTheWheelScaleTheTimeAxis) {
  const std::string before = value("iterations/chart_top");
  must("move-item iterations/plot\nhold Ctrl\nwheel 3\nrelease Ctrl");
  EXPECT_NE(value("iterations/chart_top"), before);
  must("double-click-item iterations/plot");
  EXPECT_EQ(value("iterations/chart_top"), before);
}

TEST_F(IterationsOfProgram, ShowsAllOrTheProfiledIterations) {
  must("drag-item iterations/bound_start 300 0");
  EXPECT_FALSE(has_item("iterations/outside_start"));
  const double bound = item("iterations/bound_start")[0];
  must("click-item iterations/zoom/range");
  EXPECT_LT(item("iterations/bound_start")[0], bound);
  must("click-item iterations/zoom/all");
  EXPECT_EQ(item("iterations/bound_start")[0], bound);
}

TEST_F(IterationsOfProgram, BadgesTellTotalProfiledStartAndStop) {
  must("drag-item iterations/bound_start 300 0");
  const int64_t first = range()[0], last = range()[1];
  EXPECT_EQ(value("iterations/total"), std::to_string(kRunSteps + 1));
  EXPECT_EQ(value("iterations/in_range"), std::to_string(last - first + 1));
  EXPECT_EQ(value("iterations/start_field"), std::to_string(first));
  EXPECT_EQ(value("iterations/stop_field"), std::to_string(last));
}

TEST_F(IterationsOfProgram, ThePopupListsAllConstituents) {
  point_at(20);
  const std::string popup = state()["values"].value("tooltip", "");
  EXPECT_THAT(popup, StartsWith("Iteration 20 · "));
  for (const char* part : {"Tensor Core kernels: ", "Other kernels: ", "Memory: ", "Data loader: ",
                           "I/O: not recorded", "CPU: ", "Other: ", "Launched by it: "}) {
    EXPECT_THAT(popup, HasSubstr(part));
  }
}

TEST_F(IterationsOfProgram, ComparesTheHoveredIterationWithTheMedian) {
  point_at(20);
  EXPECT_THAT(value("iterations/comparison"), HasSubstr("20"));
  point_at(2);
  EXPECT_THAT(value("iterations/comparison"), HasSubstr("Iteration 2"));
  EXPECT_TRUE(has_value("iterations/comparison/Data loader"));
  EXPECT_TRUE(has_value("iterations/comparison/Tensor Core kernels"));
  EXPECT_NE(value("iterations/comparison/ops/0"), "");
}

TEST_F(IterationsOfProgram, KeysWalkOutliersAndShowTheirCause) {
  const auto found = program().session().outliers();
  ASSERT_NE(found, nullptr);
  const std::vector<aggregate::Outlier>& outliers = found->rows;
  ASSERT_GE(outliers.size(), 3u);
  must("command view.dashboard\nkey Alt+Down");
  EXPECT_EQ(state()["view"], "iterations");
  EXPECT_EQ(state()["selected_iteration"], outliers[0].iteration);
  must("command iterations.next_outlier");
  EXPECT_EQ(state()["selected_iteration"], outliers[1].iteration);
  must("key Alt+Up\nkey Alt+Up");
  EXPECT_EQ(state()["selected_iteration"], outliers.back().iteration);
  EXPECT_THAT(value("iterations/comparison"), HasSubstr(std::to_string(outliers.back().iteration)));
}

TEST_F(IterationsOfProgram, AnyTwoIterationsStandSideBySide) {
  must("key Alt+S");
  EXPECT_THAT(value("iterations/comparison"), StartsWith("Slowest of the range: iteration "));
  EXPECT_THAT(value("iterations/comparison"), HasSubstr("vs. the typical "));
  must("click-item iterations/compared\ntype 20\nkey Enter");
  must("click-item iterations/baseline\ntype 31\nkey Enter");
  EXPECT_EQ(value("iterations/comparison"), "Iteration 20 vs. 31");
  EXPECT_EQ(state()["selected_iteration"], 20);
  EXPECT_EQ(state()["baseline_iteration"], 31);
  must("key Alt+X");
  EXPECT_EQ(value("iterations/comparison"), "Iteration 31 vs. 20");
  must("key Right\nkey Right");
  EXPECT_EQ(value("iterations/comparison"), "Iteration 33 vs. 20");
  must("key Left\nkey Alt+C\nkey Left");
  EXPECT_EQ(value("iterations/comparison"), "Iteration 31 vs. 32");
  must("click-item iterations/compare_typical");
  EXPECT_THAT(value("iterations/comparison"), StartsWith("Iteration 31 vs. the typical "));
  must("click-item iterations/compare_slowest");
  EXPECT_THAT(value("iterations/comparison"), StartsWith("Slowest of the range"));
}

TEST_F(IterationsOfProgram, CtrlClickSetsBaselineAndEscapeClears) {
  point_at(20);
  must("down\nup");
  point_at(25);
  must("hold Ctrl\ndown\nup\nrelease Ctrl\nmove 5 5");
  EXPECT_EQ(value("iterations/comparison"), "Iteration 20 vs. 25");
  must("key Escape");
  EXPECT_TRUE(state()["selected_iteration"].is_null());
  EXPECT_TRUE(state()["baseline_iteration"].is_null());
}

TEST_F(IterationsOfProgram, DifferencesListKernelsAndOpenThem) {
  must("key Alt+S\nclick-item iterations/comparison/kernels");
  const std::string first = value("iterations/comparison/kernels/0");
  EXPECT_THAT(value("iterations/comparison/shown"), StartsWith("1–7 of "));
  must("click-item iterations/comparison/next");
  EXPECT_THAT(value("iterations/comparison/shown"), StartsWith("8–"));
  EXPECT_NE(value("iterations/comparison/kernels/0"), first);
  must("click-item iterations/comparison/previous");
  EXPECT_EQ(value("iterations/comparison/kernels/0"), first);
  must("click-item iterations/comparison/ops\nclick-item iterations/comparison/ops/0/open");
  EXPECT_EQ(state()["view"], "ops");
}

TEST_F(IterationsOfProgram, ACopiedDifferenceIsThatOfTheRowOnAnyPage) {
  must(
      "key Alt+S\nclick-item iterations/comparison/kernels\n"
      "click-item iterations/comparison/next");
  const std::string shown = value("iterations/comparison/kernels/1");
  choose("iterations/comparison/kernels/1", "name");
  const std::string full_name = ImGui::GetClipboardText();
  choose("iterations/comparison/kernels/1", "row");
  const std::string copied = ImGui::GetClipboardText();
  const std::size_t row = copied.find('\n') + 1;
  const std::string name = copied.substr(row, copied.find('\t', row) - row);
  EXPECT_EQ(name, full_name);
  EXPECT_THAT(shown, StartsWith(name + " "));
}

TEST_F(IterationsOfProgram, WithoutOutliersTheirCommandsAreDisabled) {
  must("click-item iterations/key_op_open\nkey Escape");
  program().select({{aggregate::CutKind::start, "", 0}, {0, 0}});
  offscreen_->draw_until_settled();
  EXPECT_EQ(state()["aggregation"]["iterations"], 1);
  EXPECT_FALSE(state()["commands"]["iterations.next_outlier"]);
  EXPECT_FALSE(state()["commands"]["iterations.previous_outlier"]);
}

TEST_F(IterationsOfProgram, EveryClassOfOutlierIsFound) {
  must("click-item iterations/outliers");
  std::string classes;
  const Json values = state()["values"];
  for (const auto& [name, text] : values.items()) {
    if (name.starts_with("iterations/outlier_list/")) classes += text.get<std::string>() + "\n";
  }
  for (const char* kind :
       {"start-up", "warm-up", "little work", "checkpoint or I/O", "data loading"}) {
    EXPECT_THAT(classes, HasSubstr(kind));
  }
}

TEST_F(IterationsOfProgram, PickerRanksSortsSearchesAndPreviews) {
  const Json before = state()["selection"];
  must("click-item iterations/key_op_open");
  const std::string best = value("iterations/key_op_list/0");
  const std::string second = value("iterations/key_op_list/1");
  must("move-item iterations/key_op_list/" + second);
  EXPECT_THAT(value("iterations/preview"), HasSubstr("Preview: "));
  EXPECT_THAT(value("iterations/key_op_reason"), HasSubstr("instances every "));
  EXPECT_EQ(state()["selection"], before);

  must("click-item iterations/key_op_sort/name");
  EXPECT_EQ(value("iterations/key_op_list/0"), best) << "the key op stays on top";
  std::string last;
  for (int i = 1; has_value(fmt::format("iterations/key_op_list/{}", i)); ++i) {
    const std::string name = value(fmt::format("iterations/key_op_list/{}", i).c_str());
    EXPECT_LE(last, name);
    last = name;
  }

  must("key Escape");
  EXPECT_FALSE(has_value("iterations/preview"));
  EXPECT_EQ(state()["selection"], before);
  must("click-item iterations/key_op_open\ntype tensor_sgd\nkey Enter");
  EXPECT_THAT(value("iterations/key_op"), HasSubstr("multi_tensor_sgd"));
  EXPECT_NE(state()["selection"]["key_op"], before["key_op"]);
}

TEST_F(IterationsOfProgram, TheKeyOpPickerHasAWayBackToOnePiece) {
  must("click-item iterations/key_op_open\ntype whole run");
  EXPECT_EQ(value("iterations/key_op_list/0"), "none");
  EXPECT_EQ(value("iterations/preview"), "Preview: 1 iteration");
  must("key Enter");
  EXPECT_EQ(state()["selection"]["key_op"], "");
  EXPECT_EQ(state()["aggregation"]["selection"], state()["selection"]);
}

TEST_F(IterationsOfProgram, NothingCoversThePreviewOfARunInOnePiece) {
  must("click-item iterations/key_op_open\ntype whole run\nkey Enter");
  EXPECT_TRUE(has_value("iterations/single_note"));
  EXPECT_EQ(value("iterations/side_by_side"), "Compare needs two iterations.");
  must("click-item iterations/side_by_side");
  EXPECT_EQ(state()["view"], "iterations");
  must("click-item iterations/key_op_open");
  must("move-item iterations/key_op_list/" + value("iterations/key_op_list/1"));
  EXPECT_THAT(value("iterations/preview"), HasSubstr("Preview: "));
  EXPECT_FALSE(has_value("iterations/single_note"));
}

TEST_F(IterationsOfProgram, CutsAtStartsAtEndsOrAsStored) {
  for (const char* cut : {"end", "stored", "start"}) {
    must(fmt::format("click-item iterations/cut/{}", cut));
    EXPECT_EQ(state()["selection"]["cut"], cut);
    EXPECT_EQ(state()["aggregation"]["selection"], state()["selection"]);
  }
}

}  // namespace
}  // namespace dlview::app
