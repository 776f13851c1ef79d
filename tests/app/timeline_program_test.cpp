// The Timeline of the real program on a generated run: commands, the state string, pictures.

#include <gmock/gmock.h>

#include "app/run_support.h"
#include "app/screenshot.h"
#include "app/view_state.h"
#include "render/image.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class TimelineOfProgram : public RunTest {
 protected:
  void SetUp() override {
    RunTest::SetUp();
    if (offscreen_) must("command view.timeline");
  }
  std::string state_string() { return state()["state_string"]; }
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
  const auto request = parse_state(before);
  ASSERT_TRUE(request.ok());
  open(file_request(path_, *request, EngineChoice::automatic));
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
  EXPECT_THAT(beyond.error().detail, HasSubstr("number 4000"));
  options.display.selection.timeline = {.window = ui::timeline::TimeWindow{-5'000'000'000, 100},
                                        .iteration = {}};
  EXPECT_FALSE(take_screenshot(options).ok());
}

}  // namespace
}  // namespace dlview::app
