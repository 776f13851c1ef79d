// Python stacks in the real program: frames are read once the view is shown, and the keyboard
// reaches the chart.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "app/trace_support.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class StacksProgram : public TraceProgramTest {
 protected:
  bool has_item(const char* name) { return state()["items"].contains(name); }
};

TEST_F(StacksProgram, ReadsFramesWhenTheViewIsShown) {
  open_trace(true);
  EXPECT_FALSE(has_frames());
  ASSERT_TRUE(play("command view.stacks").ok());
  EXPECT_TRUE(has_frames());
  EXPECT_TRUE(has_item("stacks/chart"));
  EXPECT_EQ(state()["view"], "stacks");
}

TEST_F(StacksProgram, KeyboardReachesChartAndControls) {
  open_trace(true);
  ASSERT_TRUE(play("command view.stacks").ok());
  std::string focus;
  for (int i = 0; i < 40 && focus != "stacks/chart"; ++i) {
    ASSERT_TRUE(play("key Tab").ok());
    focus = state()["values"].value("focus", "");
  }
  ASSERT_EQ(focus, "stacks/chart");
  const std::string root = value("stacks/chart/root");
  ASSERT_TRUE(play("key Down\nkey Down\nkey Enter").ok());
  const std::string zoomed = value("stacks/chart/root");
  EXPECT_NE(zoomed, root);
  ASSERT_TRUE(play("key Escape").ok());
  EXPECT_EQ(value("focus"), "stacks/chart") << "Escape belongs to the chart";
  EXPECT_NE(value("stacks/chart/root"), zoomed);
}

TEST_F(StacksProgram, CommandsAndStateKeepTheChoice) {
  open_trace(true);
  ASSERT_TRUE(play("command view.stacks\ncommand stacks.style\ncommand stacks.measure").ok());
  EXPECT_THAT(program().state_string(), HasSubstr("row.stack_view=sunburst"));
  EXPECT_TRUE(has_item("stacks/measure/gpu"));
}

TEST_F(StacksProgram, SaysThatTheFileHasChanged) {
  open_trace(true);
  std::ofstream(trace_) << "{\"traceEvents\": []}";
  ASSERT_TRUE(play("command view.stacks").ok());
  EXPECT_THAT(value("stacks/error/title"), HasSubstr("changed"));
  EXPECT_FALSE(has_frames());
}

TEST_F(StacksProgram, SaysThatTheFileIsGone) {
  open_trace(true);
  fs::rename(trace_, folder_.path() / "elsewhere.json");
  ASSERT_TRUE(play("command view.stacks").ok());
  EXPECT_FALSE(value("stacks/error/title").empty());
  fs::rename(folder_.path() / "elsewhere.json", trace_);
  ASSERT_TRUE(play("click-item page/stacks.read").ok());
  EXPECT_TRUE(has_frames());
}

TEST_F(StacksProgram, SaysWhatRecordsFrames) {
  open_trace(false);
  ASSERT_TRUE(play("command view.stacks").ok());
  EXPECT_THAT(value("stacks/none/advice"), HasSubstr("with_stack=True"));
}

TEST_F(StacksProgram, CancelStopsTheReading) {
  open_trace(true);
  workspace::Session& session = const_cast<workspace::Session&>(program().session());
  session.want_python_frames();
  session.cancel_python_frames();
  session.settle();
  const workspace::RunModel model = described();
  // It may have been done before it was canceled.
  EXPECT_TRUE(model.python_frames || model.frames_error);
  if (model.frames_error) {
    EXPECT_EQ(model.frames_error->title, "Canceled");
    session.want_python_frames();
    EXPECT_FALSE(session.is_reading_python_frames()) << "not again by itself";
    session.read_python_frames();
    session.settle();
    EXPECT_TRUE(has_frames());
  }
}

TEST_F(StacksProgram, OnlyTracesHaveTheView) {
  open(workspace::random_request());
  ASSERT_TRUE(play("command view.ops").ok());
  EXPECT_FALSE(has_item("view/stacks"));
}

}  // namespace
}  // namespace dlview::app
