// Two iterations side by side in the real program on a generated run: commands, the state string,
// the command line.

#include <gmock/gmock.h>
#include <imgui.h>

#include "app/run_support.h"
#include "app/screenshot.h"
#include "render/image.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SideBySideOfProgram : public RunTest {
 protected:
  std::string state_string() { return state()["state_string"]; }
};

TEST_F(SideBySideOfProgram, OpensFromIterationsWithTheComparedPair) {
  must("command view.iterations");
  program().select_iteration(12);
  program().select_baseline(20);
  must("click-item iterations/side_by_side");
  EXPECT_EQ(state()["view"], "timeline");
  EXPECT_THAT(state_string(), HasSubstr("iteration=12,against=20"));
  EXPECT_THAT(state_string(), HasSubstr(",side-by-side=yes"));
  EXPECT_TRUE(has_item("timeline/first/plot"));
  EXPECT_TRUE(has_item("differing_ops/rows/0"));
}

TEST_F(SideBySideOfProgram, TheArrowKeysStepTheFirstAndTheOtherStays) {
  must("command view.iterations");
  program().select_iteration(12);
  program().select_baseline(20);
  must("key I\nkey Right");
  EXPECT_THAT(state_string(), HasSubstr("iteration=13,against=20"));
  must("key Left\nkey Left");
  EXPECT_THAT(state_string(), HasSubstr("iteration=11,against=20"));
  must("key Alt+X");
  EXPECT_THAT(state_string(), HasSubstr("iteration=20,against=11"));
  EXPECT_EQ(state()["view"], "timeline");
  must("key Alt+S");
  EXPECT_EQ(state()["view"], "timeline");
  EXPECT_THAT(value("timeline/first/title"), HasSubstr("slowest of the range"));
}

TEST_F(SideBySideOfProgram, EscapeAndTheKeyShowTheRunAgain) {
  must("command view.timeline\nkey I");
  EXPECT_TRUE(has_item("timeline/first/plot"));
  EXPECT_TRUE(state()["commands"]["timeline.measure"]);
  EXPECT_FALSE(state()["commands"]["timeline.gaps"]);
  must("key Escape");
  EXPECT_TRUE(has_item("timeline/plot"));
  EXPECT_THAT(state_string(), Not(HasSubstr("side-by-side")));
  must("key I\nkey I");
  EXPECT_TRUE(has_item("timeline/plot"));
}

// From the picture itself.
TEST_F(SideBySideOfProgram, WhatASearchDoesNotFindIsDimmedOnScreen) {
  must("command view.timeline\nkey I");
  const Json box = item("timeline/first/gpu_0/1/first");
  const auto green_at_box = [&] {
    const uint32_t pixel = picture().pixel(box[0].get<int>(), box[1].get<int>() + 2);
    return static_cast<int>(pixel >> 8 & 0xff);
  };
  const int lit = green_at_box();
  must("key Ctrl+F\ntype no such kernel");
  const int dimmed = green_at_box();
  EXPECT_LT(dimmed, lit - 20);
  must("key Escape");
  EXPECT_EQ(green_at_box(), lit);
}

TEST_F(SideBySideOfProgram, AStateStringOpensItAgainWhereItWas) {
  must("command view.timeline\nkey I\nkey W\nkey D");
  const std::string before = state_string();
  EXPECT_THAT(before, HasSubstr("time="));
  const auto request = workspace::parse_state(before);
  ASSERT_TRUE(request.ok());
  open(workspace::file_request(path_, *request, workspace::EngineChoice::automatic));
  EXPECT_EQ(state_string(), before);
  EXPECT_FALSE(workspace::parse_state("side-by-side=perhaps").ok());
}

TEST_F(SideBySideOfProgram, ARightClickOnTheRulerChoosesTheOther) {
  must("command view.timeline");
  must("move-item timeline/iterations\ndown 1\nup 1");
  EXPECT_TRUE(has_item("copy/beside_before"));
  must("click-item copy/beside_before");
  EXPECT_TRUE(has_item("timeline/first/plot"));
  const workspace::IterationPair pair = program().session().compared();
  ASSERT_TRUE(pair.iteration && pair.baseline);
  EXPECT_EQ(*pair.iteration - 1, *pair.baseline);
}

TEST_F(SideBySideOfProgram, DraggingTheEdgeFoldsTheDifferences) {
  must("command view.timeline\nkey I");
  const auto top = [&] { return item("timeline/differences_edge")[1].get<double>(); };
  const double before = top();
  must("drag-item timeline/differences_edge 0 -40");
  EXPECT_EQ(top(), before - 40);
  must("drag-item timeline/differences_edge 0 2000");
  EXPECT_FALSE(has_item("differing_ops/rows/0"));
  must("double-click-item timeline/differences_edge");
  EXPECT_EQ(top(), before);
  EXPECT_TRUE(has_item("differing_ops/rows/0"));
}

TEST_F(SideBySideOfProgram, RowsOfItsTableAreCopied) {
  ImGui::SetClipboardText("");
  must("command view.timeline\nkey I\nclick-item differing_ops/rows/0\nkey Ctrl+C");
  const std::string op = ImGui::GetClipboardText();
  EXPECT_THAT(op, HasSubstr("\t"));
  must("key K");
  EXPECT_TRUE(has_item("differing_kernels/rows/0"));
  must("click-item differing_kernels/rows/0\nkey Ctrl+C");
  EXPECT_NE(ImGui::GetClipboardText(), op);
}

// The kernels' table has the selection of another pair when it is shown again.
TEST_F(SideBySideOfProgram, ARowOfAnotherPairIsNotTakenForOneOfThis) {
  must("command view.timeline\nkey I\nkey K\nclick-item differing_kernels/rows/0");
  must("key K\nkey Right\nkey K");
  EXPECT_TRUE(has_item("differing_kernels/rows/0"));
}

TEST_F(SideBySideOfProgram, ALaterRequestShowsTheRunAgain) {
  must(
      "command view.timeline\nkey I\ncommand view.by_iteration\nclick-item "
      "iterations_table/rows/3");
  must("key Ctrl+Shift+T");
  EXPECT_TRUE(has_item("timeline/plot"));
  EXPECT_TRUE(has_value("timeline/stretch"));
}

TEST_F(SideBySideOfProgram, APictureIsTakenFromTheCommandLine) {
  offscreen_.reset();
  ScreenshotOptions options;
  options.path = path_;
  options.output = (folder_.path() / "pair.png").string();
  options.size = "900x600";
  options.display.selection.view = workspace::kTimelineView;
  options.display.selection.compared = {12, 20};
  options.display.selection.timeline.side_by_side = true;
  const base::Status taken = take_screenshot(options);
  ASSERT_TRUE(taken.ok()) << base::to_text(taken.error());
  const render::Image pair = *render::read_png(options.output);
  options.display.selection.compared = {12, 21};
  ASSERT_TRUE(take_screenshot(options).ok());
  EXPECT_NE(*render::read_png(options.output), pair);
  options.display.selection.compared = {12, 4000};
  const base::Status beyond = take_screenshot(options);
  ASSERT_FALSE(beyond.ok());
  EXPECT_THAT(beyond.error().detail, HasSubstr("iterations 0:40"));
  options.display.selection.compared = {12, 20};
  options.display.selection.timeline.window = timeline::TimeWindow{3'600'000'000'000, 100};
  EXPECT_FALSE(take_screenshot(options).ok());
}

TEST_F(SideBySideOfProgram, ItsOptionsChooseBoth) {
  CLI::App command;
  DisplayOptions options;
  bind_display(command, options);
  command.parse(std::vector<std::string>{"87", "--beside", "12", "--iteration"});
  EXPECT_EQ(options.selection.compared, (workspace::IterationPair{12, 87}));
  EXPECT_TRUE(options.selection.timeline.side_by_side);
  EXPECT_EQ(options.selection.timeline.iteration, std::nullopt);
  EXPECT_EQ(options.selection.view, workspace::kTimelineView);
}

}  // namespace
}  // namespace dlview::app
