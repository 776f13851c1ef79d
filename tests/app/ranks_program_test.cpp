// The ranks of a run in the real program: ways in, what opens with them, and stepping from rank to
// rank.

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "app/run_support.h"
#include "app/screenshot.h"
#include "generate/ranks.h"
#include "ranks/summary_file.h"
#include "workspace/rank_files.h"
#include "workspace/rank_run.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class RanksProgram : public RunTest {
 protected:
  void SetUp() override {
    opens_files_ = true;
    RunTest::SetUp();
  }
  std::string generated(bool one_file = false, int64_t ranks = 4) {
    generate::RanksOptions options;
    options.ranks = ranks;
    options.iterations = 12;
    options.kernels = 12 * 60;
    options.one_file = one_file;
    const fs::path run = folder_.path() / "run";
    base::Progress progress;
    EXPECT_TRUE(generate_ranks(run, options, progress).ok());
    return run.string();
  }
  std::vector<fs::path> files(const std::string& run) { return *workspace::run_files({run}); }
  void open_path(const std::string& path) {
    program().open_file(path);
    offscreen_->draw_until_settled();
  }
  std::string text_of(const std::string& name) { return state()["values"].value(name, "(none)"); }
};

TEST_F(RanksProgram, AFolderOpensAllRanks) {
  const std::string run = generated();
  open_path(run);
  EXPECT_EQ(program().run().path, files(run)[0].string());
  must("command view.ranks");
  EXPECT_EQ(state()["view"], "ranks");
  EXPECT_EQ(text_of("ranks/count"), "4 ranks");
  EXPECT_THAT(std::string(state()["state_string"]), StartsWith("view=ranks"));
}

TEST_F(RanksProgram, TheMenuOpensAFolder) {
  const std::string run = generated();
  must("command ranks.open");
  program().list_folder(run);
  offscreen_->draw_until_settled();
  must("key Enter");
  EXPECT_EQ(state()["view"], "ranks");
  EXPECT_EQ(text_of("ranks/count"), "4 ranks");
}

TEST_F(RanksProgram, OneRankHasNoView) {
  const std::string run = generated();
  open_path(files(run)[1].string());
  EXPECT_FALSE(program().has_ranks());
  EXPECT_FALSE(state()["items"].contains("nav/ranks"));
  EXPECT_FALSE(program().next_rank(1));
}

TEST_F(RanksProgram, OneFileWithRanksHasTheView) {
  const std::string run = generated(true);
  open_path(files(run)[0].string());
  EXPECT_TRUE(program().has_ranks());
  must("command view.ranks");
  EXPECT_EQ(text_of("ranks/count"), "4 ranks");
}

TEST_F(RanksProgram, BracketsStepThroughRanks) {
  const std::string run = generated();
  open_path(run);
  must("command view.ranks");
  must("key ]");
  EXPECT_EQ(program().run().path, files(run)[1].string());
  EXPECT_EQ(state()["view"], "ranks");
  must("key [");
  EXPECT_EQ(program().run().path, files(run)[0].string());
  must("key [");
  EXPECT_EQ(program().run().path, files(run)[3].string()) << "around the end";
}

TEST_F(RanksProgram, KeysWalkOverTheMap) {
  const std::string run = generated();
  open_path(run);
  must("command view.ranks\nframes 3");
  for (int tabs = 0; text_of("focus") != "ranks/map"; ++tabs) {
    ASSERT_LT(tabs, 100);
    must("key Tab");
  }
  must("key Down\nkey Right\nkey Right\nkey Left");
  EXPECT_THAT(text_of("ranks/pointed"), StartsWith("rank 1 iteration 1: "));
  must("key Up\nkey Up\nkey Down\nkey Down\nframes 2");
  EXPECT_THAT(text_of("ranks/pointed"), StartsWith("rank 2 iteration 1: "));
  must("key Enter");
  offscreen_->draw_until_settled();
  EXPECT_EQ(program().run().path, files(run)[2].string());
}

TEST_F(RanksProgram, DamagedFirstRankOpensTheNext) {
  const std::string run = generated();
  const auto all = files(run);
  fs::resize_file(all[0], fs::file_size(all[0]) / 8);
  open_path(run);
  EXPECT_EQ(program().run().path, all[1].string());
  must("command view.ranks");
  EXPECT_THAT(text_of("ranks/left_out"), HasSubstr(all[0].filename().string()));
  EXPECT_THAT(text_of("ranks/count"), StartsWith("3"));
}

TEST_F(RanksProgram, ASummaryAloneShowsRanks) {
  const std::string run = generated();
  open_path(run);
  const fs::path summary = folder_.path() / "alone.dlsum";
  ASSERT_TRUE(program().has_ranks());
  std::ofstream(summary, std::ios::binary)
      << ranks::to_bytes(program().ranks()->read->figures->summary);
  program().close_all_runs();
  offscreen_->draw_until_settled();
  EXPECT_FALSE(program().has_ranks());
  open_path(summary.string());
  program().show(ui::ViewId::ranks);
  offscreen_->draw_until_settled();
  EXPECT_EQ(text_of("ranks/count"), "4 ranks");
  program().show(ui::ViewId::timeline);
  offscreen_->draw_until_settled();
  EXPECT_EQ(text_of("ranks/no_profile/title"), "Timeline needs a profile");
  EXPECT_THAT(text_of("ranks/no_profile/detail"), HasSubstr(files(run)[0].filename().string()));
}

TEST_F(RanksProgram, OtherProfilesHideTheView) {
  const std::string run = generated();
  open_path(run);
  EXPECT_TRUE(program().has_ranks());
  program().open_file(path_);
  offscreen_->draw_until_settled();
  EXPECT_FALSE(program().has_ranks());
}

TEST_F(RanksProgram, ScreenshotsShowRanks) {
  const std::string run = generated();
  offscreen_.reset();  // one program at a time
  ScreenshotOptions options;
  options.path = run;
  options.output = (folder_.path() / "view.png").string();
  options.view = "ranks";
  const base::Status taken = take_screenshot(options);
  EXPECT_TRUE(taken.ok()) << base::to_text(taken.error());
}

}  // namespace
}  // namespace dlview::app
