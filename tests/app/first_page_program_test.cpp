// The first screen: recent profiles, what can be opened, how to record.

#include <fstream>
#include <utility>

#include <gmock/gmock.h>

#include "app/run_support.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class FirstPageOfProgram : public ProgramTest {
 protected:
  void SetUp() override {
    memory_file_.emplace(folder_.path() / "files.json");
    memory_ = &*memory_file_;
    ProgramTest::SetUp();
    if (offscreen_) offscreen_->draw_until_settled();
  }
  // A file that was opened before.
  std::string remember(const std::string& name, bool exists = true) {
    const std::string path = (folder_.path() / name).string();
    if (exists) std::ofstream(path) << "x";
    workspace::ProfileFacts facts{1, "2× A100", 12'400'000'000, 59, {}};
    facts.picture.bars = {{10, 10, 0, 0, 0, 0, 20}, {60, 0, 0, 0, 0, 0, 3}};
    memory_->remember(path, "view=ops", facts);
    offscreen_->draw_until_settled();
    return path;
  }
  bool has_item(const std::string& name) { return state()["items"].contains(name); }

  testing::TemporaryFolder folder_;
  std::optional<workspace::FileMemory> memory_file_;
};

TEST_F(FirstPageOfProgram, OpensARecentProfile) {
  remember("old.sqlite");
  const std::string path = remember("new.sqlite");
  EXPECT_THAT(value("page/recent_0"), StartsWith("new.sqlite · 2× A100 · 12.4"));
  EXPECT_THAT(value("page/recent_0"), HasSubstr("59 iterations"));
  ASSERT_TRUE(play("click-item page/recent_0").ok());
  EXPECT_EQ(opened_paths_, std::vector<std::string>{path});
  EXPECT_EQ(state()["state"], "open");
}

TEST_F(FirstPageOfProgram, ShowsAMissingProfileAndRemovesIt) {
  remember("gone.sqlite", false);
  remember("here.sqlite");
  EXPECT_EQ(value("page/recent_1"), "gone.sqlite · File not found");
  ASSERT_TRUE(play("click-item page/recent_1/remove").ok());
  EXPECT_TRUE(opened_paths_.empty());
  EXPECT_FALSE(has_item("page/recent_1"));
  EXPECT_EQ(memory_->recent().size(), 1u);
}

TEST_F(FirstPageOfProgram, CopiesHowToRecordWithEachTool) {
  ASSERT_TRUE(play("click-item page/copy_nsys").ok());
  EXPECT_THAT(ImGui::GetClipboardText(), StartsWith("nsys profile --trace=cuda,nvtx"));
  ASSERT_TRUE(play("click-item page/copy_nsys_code").ok());
  EXPECT_THAT(ImGui::GetClipboardText(), HasSubstr("torch.cuda.nvtx.range("));
  ASSERT_TRUE(play("click-item page/record/pytorch\nclick-item page/copy_pytorch_code").ok());
  EXPECT_THAT(ImGui::GetClipboardText(), HasSubstr("prof.step()"));
  ASSERT_TRUE(play("click-item page/record/dlprof\nclick-item page/copy_dlprof").ok());
  EXPECT_THAT(ImGui::GetClipboardText(), StartsWith("dlprof --mode=pytorch"));
}

TEST_F(FirstPageOfProgram, StandsInItsPlaceFromTheFirstFrame) {
  offscreen_.reset();  // Dear ImGui has one program at a time
  for (const int files : {0, 2, 20}) {
    for (int i = 0; i < files; ++i) {
      memory_->remember((folder_.path() / std::to_string(i)).string(), "view=ops", {});
    }
    for (const auto& [width, height] :
         {std::pair(1280, 800), std::pair(1900, 1200), std::pair(640, 480)}) {
      ProgramOptions options;
      options.show_timings = false;
      ProgramHooks hooks;
      hooks.memory = memory_;
      auto created = OffscreenProgram::create(width, height, options, hooks);
      if (!created) GTEST_SKIP() << base::to_text(created.error());
      const auto items = [&] {
        (*created)->draw();
        return Json::parse(state_json((*created)->program()))["items"];
      };
      const Json first = items();
      EXPECT_TRUE(first.contains("page/copy_nsys"));
      EXPECT_EQ(items(), first) << files << " files, " << width << " wide";
    }
  }
}

TEST_F(FirstPageOfProgram, StandsStillWhenAnotherRecipeIsChosen) {
  for (const char* size : {"size 1280 800", "size 1900 1200", "size 640 480"}) {
    ASSERT_TRUE(play(size).ok());
    const auto places = [&] {
      Json items = state()["items"];
      return std::pair(items["page/record/nsys"], items["page/file.open"]);
    };
    const auto before = places();
    EXPECT_FALSE(before.first.is_null());
    for (const char* recipe : {"pytorch", "dlprof", "nsys"}) {
      ASSERT_TRUE(play(std::string("click-item page/record/") + recipe).ok());
      EXPECT_EQ(value("page/recipe"), recipe);
      EXPECT_EQ(places(), before) << recipe << ", " << size;
    }
  }
}

TEST_F(FirstPageOfProgram, FitsASmallWindow) {
  for (int i = 0; i < 20; ++i) remember("run_" + std::to_string(i) + ".sqlite");
  ASSERT_TRUE(play("size 640 480").ok());
  const Json items = state()["items"];
  for (const auto& [name, rect] : items.items()) {
    if (!name.starts_with("page/")) continue;
    EXPECT_GE(rect[0].get<double>(), 0) << name;
    EXPECT_LE(rect[2].get<double>(), 640) << name;
  }
  EXPECT_TRUE(items.contains("page/recent_all"));
  EXPECT_TRUE(items.contains("page/copy_nsys"));
}

TEST_F(FirstPageOfProgram, AppearsWhenTheLastProfileIsClosed) {
  workspace::OpenRequest request = workspace::random_request();
  request.path = (folder_.path() / "run.sqlite").string();
  std::ofstream(request.path) << "x";
  open(request);
  EXPECT_FALSE(has_item("page/file.open"));
  ASSERT_TRUE(play("key Ctrl+W").ok());
  EXPECT_TRUE(has_item("page/file.open"));
  EXPECT_THAT(value("page/recent_0"), StartsWith("run.sqlite · "));
  EXPECT_FALSE(memory_->recent().front().facts.picture.bars.empty());
}

TEST_F(FirstPageOfProgram, IsUsedByTheKeyboardAlone) {
  const std::string path = remember("run.sqlite");
  ASSERT_TRUE(play("key Tab").ok());
  for (int i = 0; i < 60 && value("focus") != "page/recent_0"; ++i) ASSERT_TRUE(play("key Tab"));
  ASSERT_TRUE(play("key Enter").ok());
  EXPECT_EQ(opened_paths_, std::vector<std::string>{path});
}

}  // namespace
}  // namespace dlview::app
