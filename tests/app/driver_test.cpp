// What a script can do beyond what the tests of the views use.

#include <filesystem>

#include <gmock/gmock.h>
#include <imgui.h>

#include "app/program_support.h"
#include "support/test_data.h"
#include "workspace/file_memory.h"

namespace dlview::app {
namespace {

using ::testing::ElementsAre;

class DriverTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (offscreen_) open(workspace::random_request());
  }
};

TEST_F(DriverTest, TypesUtf8) {
  ASSERT_TRUE(play("key Ctrl+Shift+P\ntype \u00e9 \u65e5").ok());
  EXPECT_EQ(value("finder/query"), "\u00e9 \u65e5");
}

TEST_F(DriverTest, ChangesSizeAndScale) {
  ASSERT_TRUE(play("size 900 600").ok());
  EXPECT_EQ(picture().width, 900);
  EXPECT_EQ(picture().height, 600);
  const auto before = state()["items"]["nav/iterations"];
  ASSERT_TRUE(play("scale 2").ok());
  EXPECT_NE(state()["items"]["nav/iterations"], before);
  ASSERT_TRUE(play("size 1 1").ok());
  EXPECT_FALSE(play("size 0 600").ok());
  EXPECT_FALSE(play("scale 9").ok());
  EXPECT_EQ(offscreen_->width(), 1);
}

TEST_F(DriverTest, OpensSeveralDroppedFilesAndClosesAll) {
  ASSERT_TRUE(play("drop-together /a.sqlite /b.sqlite").ok());
  EXPECT_THAT(opened_paths_, ElementsAre("/a.sqlite", "/b.sqlite"));
  EXPECT_EQ(state()["open"].size(), 3U);
  ASSERT_TRUE(play("close-all").ok());
  EXPECT_EQ(state()["open"].size(), 1U);
  EXPECT_EQ(state()["state"], "empty");
}

TEST_F(DriverTest, HoldsKeysThatAreNoModifiers) {
  ASSERT_TRUE(play("hold F1").ok());
  EXPECT_EQ(state()["overlay"], "keys");
  ASSERT_TRUE(play("release F1").ok());
  EXPECT_FALSE(play("hold Ctrl+F1").ok());
  EXPECT_FALSE(play("hold Hyper").ok());
}

TEST_F(DriverTest, ClicksWithTheRightButton) {
  ASSERT_TRUE(play("command view.timeline\nright-click 400 300").ok());
  EXPECT_TRUE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) << "the menu of an event";
}

TEST_F(DriverTest, DoesNotWaitForAFile) {
  ASSERT_TRUE(play("no-wait drop /a.sqlite\nno-wait key Enter").ok());
  ASSERT_TRUE(play("frames 0").ok());
  EXPECT_EQ(state()["state"], "open") << "later lines wait";
}

TEST_F(DriverTest, RestartsWithTheFile) {
  ASSERT_TRUE(play("command view.iterations\nrestart").ok());
  EXPECT_THAT(opened_paths_, ElementsAre("/profiles/random.sqlite"));
  EXPECT_EQ(state()["state"], "open");
  EXPECT_EQ(state()["view"], "dashboard");
}

TEST_F(DriverTest, RestartsWhileAFileIsLoading) {
  ASSERT_TRUE(play("no-wait drop /a.sqlite\nno-wait key Enter\nno-wait restart\nframes 1").ok());
  EXPECT_EQ(state()["state"], "open");
}

TEST_F(DriverTest, PassesOverLinesThatCannotBeCarriedOut) {
  std::istringstream script("click-item no/such\ncommand view.iterations\n");
  EXPECT_TRUE(Driver(*offscreen_, output_).run(script, BadLine::is_passed_over).ok());
  EXPECT_EQ(state()["view"], "iterations");
}

class DriverWithMemory : public ProgramTest {
 protected:
  DriverWithMemory() { memory_ = &files_; }

  testing::TemporaryFolder folder_;
  workspace::FileMemory files_{folder_.path() / "files.json"};
};

TEST_F(DriverWithMemory, ForgetsFiles) {
  files_.remember("/a.sqlite", "view=iterations");
  open(workspace::random_request());
  ASSERT_TRUE(play("forget").ok());
  EXPECT_EQ(files_.recall("/a.sqlite"), "");
  EXPECT_EQ(workspace::FileMemory(folder_.path() / "files.json").recall("/a.sqlite"), "");
}

}  // namespace
}  // namespace dlview::app
