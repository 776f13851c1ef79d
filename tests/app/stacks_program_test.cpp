// Python stacks in the real program: frames are read once the view is shown, and the keyboard
// reaches the chart. Python frames in the Timeline: the same when they are asked for.
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

class FramesInTimeline : public StacksProgram {
 protected:
  const timeline::Lanes& lanes() { return *program().session().lanes(); }
  // Names of frames hold a file, those of other events do not.
  void find_frame() { ASSERT_TRUE(play("command timeline.search\ntype .py(\nkey Enter").ok()); }
};

TEST_F(FramesInTimeline, AreReadWhenTheyAreShown) {
  open_trace(true);
  ASSERT_TRUE(play("command view.timeline").ok());
  EXPECT_FALSE(has_frames());
  EXPECT_EQ(lanes().events.frames(), nullptr);
  ASSERT_TRUE(play("command timeline.python_frames").ok());
  ASSERT_TRUE(has_frames());
  ASSERT_NE(lanes().events.frames(), nullptr);
  EXPECT_THAT(program().state_string(), HasSubstr("python-frames=yes"));
  find_frame();
  EXPECT_TRUE(has_item("timeline/selected"));
  ASSERT_TRUE(play("key Escape\ncommand timeline.python_frames").ok());
  EXPECT_FALSE(has_item("timeline/selected")) << "what is hidden is not selected";
  EXPECT_THAT(program().state_string(), ::testing::Not(HasSubstr("python-frames")));
  find_frame();
  EXPECT_TRUE(has_item("timeline/selected")) << "what is found is shown";
  EXPECT_THAT(program().state_string(), HasSubstr("python-frames=yes"));
}

TEST_F(FramesInTimeline, AreFoundAndLeadToTheirCaller) {
  open_trace(true);
  ASSERT_TRUE(play("command view.timeline\ncommand timeline.python_frames").ok());
  find_frame();
  EXPECT_THAT(value("timeline/search/answer"), HasSubstr("Python frame"));
  for (int i = 0; i < 10 && !has_item("timeline/go_to/caller"); ++i) {
    ASSERT_TRUE(play("key F3").ok());
  }
  ASSERT_TRUE(has_item("timeline/go_to/caller"));
  const std::string name = value("timeline/details/name"),
                    caller = value("timeline/details/caller");
  EXPECT_NE(value("timeline/details/self"), "");
  EXPECT_NE(value("timeline/details/line"), "");
  ASSERT_TRUE(play("click-item timeline/go_to/caller").ok());
  EXPECT_EQ(value("timeline/details/name"), caller);
  EXPECT_NE(caller, name);
}

TEST_F(FramesInTimeline, HideWithTheirSelectionSideBySide) {
  open_trace(true);
  ASSERT_TRUE(play("command view.timeline\ncommand timeline.python_frames").ok());
  EXPECT_FALSE(state()["commands"]["stacks.read"]) << "they are there";
  program().select({{.key_op = "ProfilerStep"}, {0, 1}});
  ASSERT_TRUE(play("command timeline.side_by_side").ok());
  find_frame();
  ASSERT_TRUE(play("key Escape").ok());
  ASSERT_TRUE(state()["commands"]["timeline.zoom_to_selection"]);
  ASSERT_TRUE(play("command timeline.python_frames").ok());
  EXPECT_FALSE(state()["commands"]["timeline.zoom_to_selection"]);
}

TEST_F(FramesInTimeline, SayWhyTheyAreMissing) {
  open_trace(true);
  std::ofstream(trace_) << "{\"traceEvents\": []}";
  ASSERT_TRUE(play("command view.timeline\ncommand timeline.python_frames").ok());
  EXPECT_THAT(value("timeline/frames"), HasSubstr("The file has changed"));
  EXPECT_TRUE(has_item("timeline/frames/read"));
  ASSERT_TRUE(play("click-item timeline/frames/hide").ok());
  EXPECT_FALSE(has_item("timeline/frames/read"));
}

}  // namespace
}  // namespace dlview::app
