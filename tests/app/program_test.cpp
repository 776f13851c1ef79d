// The real program without a window, driven by input events and command ids.

#include "app/program.h"

#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/program_support.h"
#include "support/test_data.h"

namespace dlview::app {
namespace {

using Json = nlohmann::json;

TEST_F(ProgramTest, BeginsEmptyAndDrawsNothingWhileNothingChanges) {
  offscreen_->draw_until_settled();
  EXPECT_EQ(state()["state"], "empty");
  EXPECT_FALSE(program().wants_frame());
  EXPECT_EQ(program().title(), "dlview");
}

TEST_F(ProgramTest, OpensAProfileAtItsDashboard) {
  open(workspace::random_request());
  const Json json = state();
  EXPECT_EQ(json["state"], "open");
  EXPECT_EQ(json["view"], "dashboard");
  EXPECT_EQ(json["selection"], json["aggregation"]["selection"]);
  EXPECT_EQ(program().title(), "random.sqlite - dlview");
  EXPECT_FALSE(program().wants_frame());
}

TEST_F(ProgramTest, ShowsWhyAFileCannotBeOpened) {
  open(workspace::failing_request());
  const Json json = state();
  EXPECT_EQ(json["state"], "failed");
  EXPECT_EQ(json["error"]["title"], "The file is a poem");
  EXPECT_FALSE(json["commands"]["range.all"]);
}

TEST_F(ProgramTest, DrawsWhileItLoadsAndGivesUpWhenAsked) {
  workspace::Gate gate;
  gate.close();
  program().open(gated_request(gate));
  offscreen_->draw();
  EXPECT_EQ(state()["state"], "loading");
  program().cancel_loading();
  offscreen_->draw();
  EXPECT_EQ(state()["state"], "empty");
  gate.open();
}

TEST_F(ProgramTest, ChangesTheViewByKeysAndByTheNavigationBar) {
  open(workspace::random_request());
  ASSERT_TRUE(play("key Ctrl+2").ok());
  EXPECT_EQ(state()["view"], "iterations");
  ASSERT_TRUE(play("command view.dashboard").ok());
  EXPECT_EQ(state()["view"], "dashboard");
  ASSERT_TRUE(play("click-item nav/iterations").ok());
  EXPECT_EQ(state()["view"], "iterations");
}

TEST_F(ProgramTest, FollowsADraggedBoundWhileItIsDragged) {
  open(workspace::random_request());
  ASSERT_TRUE(play("key Ctrl+2").ok());
  const Json before = state();
  const Json& bound = before["items"]["iterations/bound_start"];
  const float x = (bound[0].get<float>() + bound[2].get<float>()) / 2;
  const float y = (bound[1].get<float>() + bound[3].get<float>()) / 2;
  ASSERT_TRUE(play(fmt::format("move {} {}\ndown\nmove {} {}", x, y, x + 400, y)).ok());
  const Json during = state();
  EXPECT_GT(during["selection"]["range"][0], before["selection"]["range"][0]);
  EXPECT_EQ(during["aggregation"]["selection"], during["selection"]);
  EXPECT_LT(during["aggregation"]["range_ns"], before["aggregation"]["range_ns"]);
  EXPECT_NE(during["values"]["iterations/wall_time"], before["values"]["iterations/wall_time"]);
  ASSERT_TRUE(play("up").ok());
  EXPECT_EQ(state()["selection"], during["selection"]);
}

TEST_F(ProgramTest, RunsTheCommandsOfTheRange) {
  open(workspace::random_request());
  const Json first = state()["selection"];
  program().select({workspace::kStartCut, {2, 4}});
  offscreen_->draw_until_settled();
  EXPECT_EQ(state()["selection"]["range"], Json::array({2, 4}));
  ASSERT_TRUE(play("key Ctrl+R").ok());
  EXPECT_EQ(state()["selection"], first);
  program().select({workspace::kStartCut, {2, 4}});
  ASSERT_TRUE(play("key Ctrl+Shift+A").ok());
  EXPECT_EQ(state()["selection"]["range"][0], 0);
  EXPECT_EQ(state()["selection"]["range"][1].get<int>() + 1, state()["aggregation"]["iterations"]);
}

TEST_F(ProgramTest, ChangesTheThemeAndTheZoom) {
  open(workspace::random_request());
  const render::Image dark = picture();
  ASSERT_TRUE(play("key Ctrl+T").ok());
  EXPECT_EQ(state()["theme"], "light");
  EXPECT_NE(picture(), dark);
  ASSERT_TRUE(play("key Ctrl+T\nkey Ctrl+=").ok());
  EXPECT_GT(state()["zoom"], 1.05);
  EXPECT_NE(picture(), dark);
  ASSERT_TRUE(play("key Ctrl+0").ok());
  EXPECT_EQ(state()["zoom"], 1.0);
  EXPECT_EQ(picture(), dark);
}

TEST_F(ProgramTest, KeepsTheZoomWithinReason) {
  for (int i = 0; i < 30; ++i) program().change_zoom(1.1f);
  EXPECT_EQ(program().zoom(), 3.0f);
  for (int i = 0; i < 60; ++i) program().change_zoom(0.9f);
  EXPECT_EQ(program().zoom(), 0.5f);
}

TEST_F(ProgramTest, OpensTheDemoAndAFileThatIsDroppedOnIt) {
  ASSERT_TRUE(play("command file.demo").ok());
  EXPECT_EQ(state()["state"], "open");
  offscreen_->play({render::FileDrop{"/profiles/dropped.sqlite"}});
  EXPECT_TRUE(opened_paths_.empty()) << "it asks first";
  ASSERT_TRUE(play("key Enter").ok());
  EXPECT_EQ(opened_paths_, (std::vector<std::string>{"/profiles/dropped.sqlite"}));
}

TEST_F(ProgramTest, QuitsByItsKey) {
  ASSERT_TRUE(play("key Ctrl+Q").ok());
  EXPECT_EQ(quits_, 1);
}

TEST_F(ProgramTest, DrawsTheSamePictureForTheSameInput) {
  open(workspace::random_request());
  ASSERT_TRUE(play("key Ctrl+2").ok());
  const render::Image first = picture();
  offscreen_.reset();
  SetUp();
  open(workspace::random_request());
  ASSERT_TRUE(play("key Ctrl+2").ok());
  EXPECT_EQ(picture(), first);
}

TEST_F(ProgramTest, SaysWhereAScriptCannotBeCarriedOut) {
  open(workspace::random_request());
  for (const char* script :
       {"\n# fine\nfly 1 2", "\n\nmove here 2", "\n\nmove 1", "\n\ncommand no.such",
        "\n\nclick-item no/such", "\n\nkey Hyper+X", "\n\nscreenshot /no/such/folder/a.png"}) {
    const base::Status played = play(script);
    ASSERT_FALSE(played.ok()) << script;
    EXPECT_TRUE(played.error().detail.starts_with("line 3: ")) << played.error().detail;
  }
}

TEST_F(ProgramTest, DumpsItsStateIntoAFileAndOntoTheOutput) {
  const testing::TemporaryFolder folder;
  open(workspace::random_request());
  const std::string path = (folder.path() / "state.json").string();
  ASSERT_TRUE(play("state\nstate " + path).ok());
  std::ifstream file(path);
  EXPECT_EQ(Json::parse(file), Json::parse(output_.str()));
}

}  // namespace
}  // namespace dlview::app
