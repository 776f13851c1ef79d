#include "app/screenshot.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/command_support.h"
#include "app/output_files.h"
#include "generate/dlprof.h"
#include "render/image.h"
#include "render/offscreen_context.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::app {
namespace {

class ScreenshotTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto context = render::OffscreenContext::create(); !context) {
      GTEST_SKIP() << base::to_text(context.error());
    }
    generate::DemoOptions demo;
    demo.iterations = 12;
    demo.kernels = 1500;
    base::Progress progress;
    ASSERT_TRUE(generate::generate_dlprof(profile(), demo, progress).ok());
    options_.path = profile();
    options_.output = output("picture.png");
  }

  std::string profile() const { return folder_.path() / "run.sqlite"; }
  std::string output(const char* name) const { return folder_.path() / name; }
  std::string bytes_for(const char* name) {
    options_.output = output(name);
    EXPECT_TRUE(take_screenshot(options_).ok());
    return testing::contents_of(options_.output);
  }
  // The title of the error; empty when a picture was taken.
  std::string error() {
    const base::Status taken = take_screenshot(options_);
    return taken ? "" : taken.error().title;
  }

  testing::TemporaryFolder folder_;
  ScreenshotOptions options_;
};

TEST_F(ScreenshotTest, HasTheRequestedSize) {
  options_.size = "700x333";
  ASSERT_EQ(error(), "");
  const base::Result<render::Image> picture = render::read_png(options_.output);
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->width, 700);
  EXPECT_EQ(picture->height, 333);
}

TEST_F(ScreenshotTest, HasEqualBytesForEqualInput) {
  for (const char* view : {"dashboard", "iterations"}) {
    options_.view = view;
    EXPECT_EQ(bytes_for("first.png"), bytes_for("second.png")) << view;
  }
}

TEST_F(ScreenshotTest, FollowsItsOptions) {
  const std::string plain = bytes_for("plain.png");
  options_.display.selection.iterations = aggregate::IterationRange{3, 5};
  EXPECT_NE(bytes_for("range.png"), plain);
  options_.display.selection = {};
  options_.display.theme = "light";
  EXPECT_NE(bytes_for("light.png"), plain);
  options_.display.theme.reset();
  options_.display.palette = "colorblind";
  EXPECT_NE(bytes_for("colorblind.png"), plain);
  options_.display.palette.reset();
  options_.display.scale = 1.5f;
  EXPECT_NE(bytes_for("large.png"), plain);
  options_.display.scale.reset();
  EXPECT_EQ(bytes_for("again.png"), plain);
}

TEST_F(ScreenshotTest, RefusesOptionsThatMakeNoSense) {
  for (const char* size : {"", "x", "800", "800x", "x600", "0x0", "-800x600", "800x600x2"}) {
    options_.size = size;
    EXPECT_EQ(error(), "Invalid --size: \"" + std::string(size) + "\"");
  }
  options_.size = "800x600";
  options_.view = "kitchen";
  EXPECT_EQ(error(), "Invalid --view: \"kitchen\"");
  options_.view = "dashboard";
  options_.display.theme = "plaid";
  EXPECT_EQ(error(), "Invalid --theme: \"plaid\"");
  options_.display.theme.reset();
  options_.display.palette = "plaid";
  EXPECT_EQ(error(), "Invalid --palette: \"plaid\"");
  options_.display.palette.reset();
  options_.display.scale = 100.0f;
  EXPECT_EQ(error(), "Invalid --scale: 100");
  options_.display.scale.reset();
  options_.display.engine = "steam";
  EXPECT_EQ(error(), "Invalid --engine: \"steam\"");
  EXPECT_FALSE(std::filesystem::exists(options_.output));
}

TEST_F(ScreenshotTest, ExplainsFailures) {
  options_.path = output("missing.sqlite");
  EXPECT_NE(error(), "");
  options_.path = profile();
  options_.display.selection.key_op = "no such op";
  EXPECT_EQ(error(), "Iteration marker not found");
  options_.display.selection = {};
  options_.output = output("no/such/folder.png");
  EXPECT_EQ(error(), "A file cannot be written");
  EXPECT_EQ(run_screenshot(options_), kExitUnusable);
}

// Another profile and budgets show their own views, unless another one is named.
TEST_F(ScreenshotTest, ShowsTheNamedView) {
  base::Progress progress;
  ASSERT_TRUE(generate::generate_dlprof(output("other.sqlite"),
                                        {.iterations = 12, .kernels = 1500, .seed = 3}, progress)
                  .ok());
  options_.view = "iterations";
  const std::string iterations = bytes_for("iterations.png");
  options_.view.reset();
  options_.display.selection.with.emplace().path = output("other.sqlite");
  options_.display.selection.view = workspace::kCompareView;
  const std::string compared = bytes_for("compared.png");
  EXPECT_NE(compared, iterations);
  for (const char* const view : {"iterations", "budgets", "trend"}) {
    options_.view = view;
    EXPECT_NE(bytes_for("named.png"), compared) << view;
  }
  options_.view = "compare";
  EXPECT_EQ(bytes_for("named.png"), compared);
}

// Through the command line, which gathers the files.
TEST_F(ScreenshotTest, ShowsTheTrendOfSeveralFiles) {
  std::vector<std::string> arguments{"screenshot", "--no-cache", "-o", output("trend.png")};
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const std::string path = output(fmt::format("t{}.sqlite", seed).c_str());
    base::Progress progress;
    ASSERT_TRUE(
        generate::generate_dlprof(path, {.iterations = 12, .kernels = 1500, .seed = seed}, progress)
            .ok());
    arguments.push_back(path);
  }
  const auto outcome_of = [&arguments](std::vector<std::string> more) {
    CLI::App program{"dlview", "dlview"};
    ChosenCommand chosen;
    bind_screenshot(program, chosen);
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return run_command_line(program, chosen, std::move(more));
  };
  const Outcome refused = outcome_of({});
  EXPECT_EQ(refused.code, kExitUnusable);
  EXPECT_THAT(refused.err, ::testing::HasSubstr("Only --view trend takes several files"));
  EXPECT_FALSE(std::filesystem::exists(output("trend.png")));
  const Outcome taken = outcome_of({"--view", "trend"});
  EXPECT_EQ(taken.code, 0) << taken.err;
  const base::Result<render::Image> all = render::read_png(output("trend.png"));
  ASSERT_TRUE(all.ok());
  options_.view = "trend";
  bytes_for("one.png");
  EXPECT_NE(all->rgb, render::read_png(output("one.png"))->rgb);
}

TEST_F(ScreenshotTest, FallsBackToTheCpuEngine) {
  options_.display.engine = "cuda";
  EXPECT_EQ(error(), "");
  EXPECT_TRUE(workspace::engine_notice(workspace::EngineChoice::cuda).has_value());
  EXPECT_FALSE(workspace::engine_notice(workspace::EngineChoice::automatic).has_value());
}

TEST(PictureFile, HasAUniqueName) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path first = free_output_path(folder.path(), "dlview", "png", 0);
  EXPECT_TRUE(first.filename().string().starts_with("dlview-19"));
  std::ofstream(first) << "x";
  const std::filesystem::path second = free_output_path(folder.path(), "dlview", "png", 0);
  EXPECT_EQ(second.stem().string(), first.stem().string() + "-2");
  std::ofstream(second) << "x";
  EXPECT_EQ(free_output_path(folder.path(), "dlview", "png", 0).stem().string(),
            first.stem().string() + "-3");
}

// As a home that others may not look into; where that is allowed, a name that is too long fails
// too.
TEST(PictureFile, HasANameInUnreadableFolders) {
  const testing::TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::none);
  const auto path = free_output_path(folder.path(), "dlview", "png", 0);
  EXPECT_EQ(path.parent_path(), folder.path());
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  EXPECT_NO_THROW(free_output_path(folder.path(), std::string(300, 'x'), "png", 0));
}

}  // namespace
}  // namespace dlview::app
