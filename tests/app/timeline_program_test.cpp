// The Timeline of the real program on a generated run: commands, the state string, pictures.

#include <set>

#include <gmock/gmock.h>

#include "app/run_support.h"
#include "app/screenshot.h"
#include "render/image.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class TimelineOfProgram : public RunTest {
 protected:
  void SetUp() override {
    bookmarks_ = &bookmark_file_;
    RunTest::SetUp();
    if (offscreen_) must("command view.timeline");
  }
  std::string state_string() { return state()["state_string"]; }
  workspace::BookmarkFile bookmark_file_{folder_.path() / "bookmarks.json"};
  // To be taken by another program: there is one at a time.
  ScreenshotOptions picture(const std::string& name) {
    offscreen_.reset();
    ScreenshotOptions options;
    options.path = path_;
    options.output = (folder_.path() / name).string();
    options.view = "timeline";
    options.size = "900x600";
    return options;
  }
};

TEST_F(TimelineOfProgram, HasLanesOfEachGpuAndThread) {
  EXPECT_TRUE(has_item("timeline/plot"));
  EXPECT_TRUE(has_item("timeline/group/gpu_0"));
  EXPECT_THAT(value("status"), HasSubstr("per pixel"));
  EXPECT_THAT(state_string(), StartsWith("view=timeline"));
  EXPECT_THAT(state_string(), Not(HasSubstr("time=")));
}

TEST_F(TimelineOfProgram, ItsLettersAreKeysOnlyThere) {
  must("key W");
  EXPECT_THAT(state_string(), HasSubstr(",time="));
  must("key Backspace");
  EXPECT_THAT(state_string(), Not(HasSubstr("time=")));
  EXPECT_TRUE(state()["commands"]["timeline.zoom_in"]);
  EXPECT_FALSE(state()["commands"]["timeline.next"]);
  must("command view.dashboard");
  EXPECT_FALSE(state()["commands"]["timeline.zoom_in"]);
}

TEST_F(TimelineOfProgram, AStateStringOpensItAgainWhereItWas) {
  must("key W\nkey D\nkey W");
  const std::string before = state_string();
  const auto request = workspace::parse_state(before);
  ASSERT_TRUE(request.ok());
  open(workspace::file_request(path_, *request, workspace::EngineChoice::automatic));
  EXPECT_EQ(state_string(), before);
}

TEST_F(TimelineOfProgram, TheStripMarksWhatIsVisible) {
  EXPECT_FALSE(has_item("strip/visible"));
  must("key W\nkey W\nkey W");
  const Json narrow = item("strip/visible"), strip = item("strip/plot");
  EXPECT_GE(narrow[0].get<double>(), strip[0].get<double>());
  EXPECT_LT(narrow[2].get<double>() - narrow[0].get<double>(),
            (strip[2].get<double>() - strip[0].get<double>()) / 2);
  must("command view.dashboard");
  EXPECT_FALSE(has_item("strip/visible"));
}

TEST_F(TimelineOfProgram, ASelectedKernelIsToldOfAndEscapeLetsItGo) {
  must("key W\nkey W\nkey W\nkey W\nkey W\nkey W\nkey W\nkey W");
  must("click-item timeline/gpu_0/1/first");
  EXPECT_TRUE(has_value("timeline/details/duration"));
  must("key F");
  EXPECT_TRUE(has_item("timeline/selected"));
  must("key Escape");
  EXPECT_FALSE(has_value("timeline/details/duration"));
}

TEST_F(TimelineOfProgram, CtrlFSearchesEventsHereAndRowsInATable) {
  must("key Ctrl+F\ntype gemm");
  EXPECT_THAT(value("timeline/search/answer"), HasSubstr("kernels"));
  must("key F3");
  EXPECT_TRUE(has_value("timeline/details/name"));
  const std::string first = value("timeline/details/start");
  must("key F3\nkey Shift+F3");
  EXPECT_EQ(value("timeline/details/start"), first);
  must("key Escape\nkey Escape");
  EXPECT_FALSE(has_value("timeline/search/answer"));
  must("command view.ops\nkey Ctrl+F\ntype conv");
  EXPECT_EQ(value("ops/search"), "conv");
}

TEST_F(TimelineOfProgram, TheStateStringHoldsItsColors) {
  must("key C");
  EXPECT_THAT(state_string(), HasSubstr(",colours=op_type"));
  const auto request = workspace::parse_state(state_string());
  ASSERT_TRUE(request.ok());
  must("command timeline.colours_category");
  EXPECT_THAT(state_string(), Not(HasSubstr("colours=")));
  open(workspace::file_request(path_, *request, workspace::EngineChoice::automatic));
  EXPECT_EQ(value("timeline/colors"), "Colors: Op type");
}

TEST_F(TimelineOfProgram, ASelectedRowIsShownInItByACommand) {
  must("command view.by_iteration");
  EXPECT_TRUE(state()["commands"]["table.show_in_timeline"]) << "the first row is selected";
  must("click-item iterations_table/rows/3\nkey Ctrl+Shift+T");
  EXPECT_EQ(state()["view"], "timeline");
  EXPECT_TRUE(has_value("timeline/stretch"));
}

TEST_F(TimelineOfProgram, KernelsAndIterationsOfTablesAreShownInIt) {
  must("command view.by_iteration\nclick-item iterations_table/rows/3");
  choose_in("iteration_kernels", 0, "kernel_duration", "timeline");
  EXPECT_EQ(state()["view"], "timeline");
  EXPECT_TRUE(has_value("timeline/details/grid"));
  must("command view.by_iteration");
  choose_in("iterations_table", 3, "duration", "timeline");
  EXPECT_EQ(state()["view"], "timeline");
  EXPECT_TRUE(has_value("timeline/stretch"));
}

// Each of them from its table, by the menu or by the key.
TEST_F(TimelineOfProgram, SelectsTheLongestOpsAndKernelsOfRows) {
  must("size 1920 900\ncommand view.ops");  // wide enough for all columns
  const std::string op = cell("ops", 0, "op_node_name");
  choose_in("ops", 0, "gpu_time", "timeline");
  EXPECT_EQ(state()["view"], "timeline");
  EXPECT_TRUE(has_item("timeline/selected"));
  EXPECT_EQ(value("timeline/details/name"), op);

  must("command view.ops");
  for (int row = 0; !has_item("kernels/rows/0"); ++row) {
    must(fmt::format("click-item ops/rows/{}", row));
    ASSERT_LT(row, 8) << "no op with kernels";
  }
  const std::string kernel = cell("kernels", 0, "kernel_name"), longest = cell("kernels", 0, "max");
  must("click-item kernels/rows/0\nkey Ctrl+Shift+T");
  EXPECT_EQ(state()["view"], "timeline");
  EXPECT_TRUE(has_item("timeline/selected"));
  EXPECT_THAT(value("timeline/details/name"), HasSubstr(kernel));
  EXPECT_EQ(value("timeline/details/duration"), longest);

  for (const std::string table : {"op_types", "groups"}) {
    must("key Escape\ncommand view." + table);
    must("click-item " + table + "/rows/0\nkey Ctrl+Shift+T");
    EXPECT_EQ(state()["view"], "timeline");
    EXPECT_TRUE(has_item("timeline/selected")) << table;
  }
}

TEST_F(TimelineOfProgram, KeepsBookmarksOfAMovedFile) {
  must("key W\nkey B\ntype here it stalls\nkey Enter");
  EXPECT_EQ(value("timeline/bookmark/0"), "here it stalls");
  const std::string moved = (folder_.path() / "moved.sqlite").string();
  std::filesystem::copy_file(path_, moved);
  open(workspace::file_request(moved, {}, workspace::EngineChoice::automatic));
  EXPECT_EQ(value("timeline/bookmark/0"), "here it stalls");
  must("key Shift+B\nclick-item timeline/bookmarks/0/remove");
  open(workspace::file_request(path_, {}, workspace::EngineChoice::automatic));
  EXPECT_FALSE(has_item("timeline/bookmark/0"));
}

TEST_F(TimelineOfProgram, NoTwoCommandsThatAreEnabledShareAKey) {
  for (const char* view : {"dashboard", "timeline", "ops", "iterations", "cuda_summary"}) {
    must(std::string("command view.") + view);
    std::set<std::string> keys;
    for (const ui::CommandInfo& command : program().commands().infos()) {
      if (!command.enabled || command.shortcut.empty()) continue;
      EXPECT_TRUE(keys.insert(command.shortcut).second) << view << " " << command.shortcut;
    }
  }
}

TEST_F(TimelineOfProgram, MeasuringIsToldOfAndEscapeEndsIt) {
  must("key M\nmove-item timeline/plot\ndown\nup");
  EXPECT_THAT(value("status"), HasSubstr("Measuring from"));
  must("down\nup");
  EXPECT_THAT(value("status"), HasSubstr("Measured from"));
  EXPECT_TRUE(has_item("timeline/measured"));
  must("key Escape");
  EXPECT_FALSE(has_item("timeline/measured"));
  EXPECT_THAT(value("status"), HasSubstr("per pixel"));
}

TEST_F(TimelineOfProgram, TheSamePictureIsDrawnEveryTime) {
  std::vector<render::Image> pictures;
  for (const char* name : {"one.png", "two.png"}) {
    ScreenshotOptions options = picture(name);
    options.display.selection.timeline.iteration = 12;
    const base::Status taken = take_screenshot(options);
    ASSERT_TRUE(taken.ok()) << base::to_text(taken.error());
    pictures.push_back(*render::read_png(options.output));
  }
  EXPECT_EQ(pictures[0], pictures[1]);
}

TEST_F(TimelineOfProgram, APictureOfWhatIsNotThereIsAnError) {
  ScreenshotOptions options = picture("none.png");
  options.display.selection.timeline.iteration = 4000;
  const base::Status beyond = take_screenshot(options);
  ASSERT_FALSE(beyond.ok());
  EXPECT_THAT(beyond.error().detail, HasSubstr("iterations 0:40"));
  options.display.selection.timeline = {.window = timeline::TimeWindow{-5'000'000'000, 100},
                                        .iteration = {}};
  EXPECT_FALSE(take_screenshot(options).ok());
}

class TimelineAskedFor : public RunTest {
 protected:
  void open_with(const timeline::Request& timeline) {
    workspace::SelectionRequest request;
    request.view = workspace::kTimelineView;
    request.timeline = timeline;
    open(workspace::file_request(path_, request, workspace::EngineChoice::automatic));
  }
};

TEST_F(TimelineAskedFor, ReportsAMissingIterationAndShowsTheRun) {
  open_with({.window = {}, .iteration = 4000});
  EXPECT_THAT(value("notice"), HasSubstr("Invalid iteration: 4000"));
  EXPECT_THAT(std::string(state()["state_string"]), Not(HasSubstr("time=")));
  open_with({.window = {}, .iteration = 12});
  EXPECT_EQ(value("notice"), "");
  EXPECT_THAT(std::string(state()["state_string"]), HasSubstr(",time="));
}

TEST_F(TimelineAskedFor, ReportsAnEmptyTimeAndShowsTheRun) {
  open_with({.window = timeline::TimeWindow{5'000'000'000'000, 100}, .iteration = {}});
  EXPECT_THAT(value("notice"), HasSubstr("Nothing was recorded at this time: the run lasts from"));
  EXPECT_THAT(std::string(state()["state_string"]), Not(HasSubstr("time=")));
  must("command view.dashboard\ncommand view.timeline");
  open_with({.window = timeline::TimeWindow{5'000'000'000'000, 100},
             .iteration = {},
             .colors = timeline::ColorBy::op});
  EXPECT_THAT(std::string(state()["state_string"]), Not(HasSubstr("time=")));
  EXPECT_THAT(std::string(state()["state_string"]), HasSubstr("colours=op"));
  open_with({.window = timeline::TimeWindow{100'000'000, 1'000'000}, .iteration = {}});
  EXPECT_EQ(value("notice"), "");
  EXPECT_THAT(std::string(state()["state_string"]), HasSubstr(",time=100000000:101000000"));
}

}  // namespace
}  // namespace dlview::app
