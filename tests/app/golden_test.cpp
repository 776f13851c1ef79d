// Pictures of all views against those in tests/golden, which `./dev golden` makes anew.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/offscreen_program.h"
#include "app/picture_difference.h"
#include "embedded/dlview_fonts.h"
#include "generate/demo.h"
#include "generate/nsys.h"
#include "import/open.h"
#include "render/image.h"
#include "support/file_contents.h"
#include "support/test_data.h"
#include "workspace/session_support.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using testing::difference;

const fs::path kGolden = fs::path(DLVIEW_SOURCE_DIR) / "tests" / "golden";

bool makes_golden() {
  const char* set = std::getenv("DLVIEW_MAKE_GOLDEN");
  return set != nullptr && *set != '\0';
}

// The fonts come from the system's packages: pictures made with others cannot be compared.
std::string fonts_used() {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const std::span<const unsigned char> file :
       {fonts::inter_regular(), fonts::inter_semibold(), fonts::jetbrains_mono()}) {
    for (const unsigned char byte : file) hash = (hash ^ byte) * 1099511628211u;
  }
  return fmt::format("{:016x}\n", hash);
}

// Made once for all pictures.
workspace::OpenRequest demo_run() {
  workspace::OpenRequest request = workspace::random_request();
  request.name = "/profiles/demo.sqlite";
  request.load = [](base::Progress& progress) {
    static const base::Result<profile::Profile> run =
        generate::make_demo_profile({.iterations = 60, .kernels = 30'000, .gpus = 4}, progress);
    return run;
  };
  request.choose = [](const aggregate::KeyRanking&) -> base::Result<workspace::FirstSelection> {
    const std::string key_op = generate::demo_key_op(generate::Framework::pytorch);
    return workspace::FirstSelection{{{aggregate::CutKind::start, key_op, 0}, {12, 60}}, ""};
  };
  return request;
}

// The same, less of it, as an export of Nsight Systems.
workspace::OpenRequest demo_export() {
  workspace::OpenRequest request = demo_run();
  request.name = "/profiles/export.sqlite";
  request.load = [](base::Progress& progress) -> base::Result<profile::Profile> {
    const testing::TemporaryFolder folder;
    const fs::path path = folder.path() / "export.sqlite";
    const base::Status written =
        generate::generate_nsys(path, {.iterations = 30, .kernels = 3000, .gpus = 2},
                                generate::NsysSchema::v2026, progress);
    return written ? import::open_profile(path, progress) : written.error();
  };
  request.choose = [](const aggregate::KeyRanking&) -> base::Result<workspace::FirstSelection> {
    return workspace::FirstSelection{{{aggregate::CutKind::start, "step", 0}, {5, 20}}, ""};
  };
  return request;
}

struct Shot {
  const char* name;
  ui::ViewId view;
  ui::ThemeKind theme;
  float scale;
  int width = 1280, height = 800;
  std::vector<workspace::TableState> tables = {};  // rows that are selected
  bool is_export = false;                          // of Nsight Systems
  timeline::Request timeline = {};
  workspace::IterationPair compared = {};
};

Shot timeline(const char* name, ui::ThemeKind theme, const timeline::TimeWindow& window) {
  Shot shot{name, ui::ViewId::timeline, theme, 1};
  shot.timeline.window = window;
  return shot;
}

class Golden : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!makes_golden() && testing::contents_of(kGolden / "fonts.txt") != fonts_used()) {
      GTEST_SKIP() << "the pictures were made with other versions of the fonts";
    }
  }
  // At twice the scale made smaller again; empty where there is no OpenGL.
  render::Image taken(const Shot& shot) {
    ProgramOptions options;
    options.theme = shot.theme;
    options.view = shot.view;
    options.display_scale = shot.scale;
    options.show_timings = false;
    ProgramHooks hooks;
    const auto scaled = [&](int pixels) {
      return static_cast<int>(static_cast<float>(pixels) * shot.scale);
    };
    auto created =
        OffscreenProgram::create(scaled(shot.width), scaled(shot.height), options, hooks);
    if (!created) {
      reason_ = base::to_text(created.error());
      return {};
    }
    workspace::OpenRequest request = shot.is_export ? demo_export() : demo_run();
    request.timeline = shot.timeline;
    request.compared = shot.compared;
    (*created)->program().open(std::move(request));
    (*created)->draw_until_settled();
    for (const workspace::TableState& table : shot.tables) {
      (*created)->program().show_table(shot.view, table);
    }
    (*created)->draw_until_settled();
    render::Image picture = (*created)->picture();
    return shot.scale == 2 ? testing::halved(picture) : picture;
  }
  void compare(const Shot& shot) {
    const render::Image picture = taken(shot);
    if (picture.rgb.empty()) GTEST_SKIP() << reason_;
    const fs::path path = kGolden / (std::string(shot.name) + ".png");
    if (makes_golden()) {
      ASSERT_TRUE(render::write_png(picture, path).ok());
      std::ofstream(kGolden / "fonts.txt", std::ios::binary) << fonts_used();
      GTEST_SKIP() << path << " was made anew";
    }
    const base::Result<render::Image> golden = render::read_png(path);
    ASSERT_TRUE(golden.ok()) << base::to_text(golden.error());
    const testing::PictureDifference found = difference(*golden, picture);
    if (!found.is_much()) return;
    const fs::path now = fs::temp_directory_path() / (std::string(shot.name) + ".png");
    ASSERT_TRUE(render::write_png(picture, now).ok());
    ADD_FAILURE() << fmt::format(
        "{:.0f}% of the pixels around {}, {} differ; see {}, and where that is right, ./dev "
        "golden",
        100 * found.share, found.x, found.y, now.string());
  }

  std::string reason_;
};

TEST_F(Golden, DashboardInDarkColors) {
  compare({"dashboard_dark", ui::ViewId::dashboard, ui::ThemeKind::dark, 1});
}

TEST_F(Golden, IterationsInDarkColors) {
  compare({"iterations_dark", ui::ViewId::iterations, ui::ThemeKind::dark, 1});
}

TEST_F(Golden, DashboardInLightColorsAtTwiceTheScale) {
  compare({"dashboard_light_2x", ui::ViewId::dashboard, ui::ThemeKind::light, 2, 1100, 640});
}

// From the whole run down to single kernels.
TEST_F(Golden, TimelineOfTheWholeRun) {
  compare({"timeline_run_dark", ui::ViewId::timeline, ui::ThemeKind::dark, 1});
}

TEST_F(Golden, TimelineOfSomeIterations) {
  compare(
      timeline("timeline_iterations_light", ui::ThemeKind::light, {1'640'000'000, 248'000'000}));
}

TEST_F(Golden, TimelineOfOneIteration) {
  compare(timeline("timeline_iteration_dark", ui::ThemeKind::dark, {1'640'000'000, 62'000'000}));
}

TEST_F(Golden, TimelineOfAFewOps) {
  compare(timeline("timeline_ops_dark", ui::ThemeKind::dark, {1'665'000'000, 620'000}));
}

TEST_F(Golden, TimelineOfAFewKernels) {
  compare(timeline("timeline_kernels_light", ui::ThemeKind::light, {1'665'000'000, 31'000}));
}

TEST_F(Golden, TwoIterationsSideBySide) {
  Shot shot{"timeline_side_by_side_dark", ui::ViewId::timeline, ui::ThemeKind::dark, 1};
  shot.timeline.side_by_side = true;
  shot.compared = {31, 30};
  compare(shot);
}

TEST_F(Golden, OpTypes) {
  compare({"op_types_light",
           ui::ViewId::op_types,
           ui::ThemeKind::light,
           1,
           1100,
           700,
           {{"op_types", {}, "conv2d"}}});
}

TEST_F(Golden, Groups) {
  compare({"groups_dark", ui::ViewId::groups, ui::ThemeKind::dark, 1, 1100, 700});
}

TEST_F(Golden, OpsAndKernels) {
  compare(
      {"ops_dark", ui::ViewId::ops, ui::ThemeKind::dark, 1, 1280, 700, {{"ops", {}, "CONV2D_1"}}});
}

TEST_F(Golden, KernelsByIteration) {
  compare({"by_iteration_light",
           ui::ViewId::by_iteration,
           ui::ThemeKind::light,
           1,
           1100,
           700,
           {{"iterations_table", {}, "20"}}});
}

TEST_F(Golden, KernelsByOp) {
  compare({"by_op_dark",
           ui::ViewId::by_op,
           ui::ThemeKind::dark,
           1,
           1280,
           800,
           {{"by_op_iterations", {}, "20"}, {"iteration_ops", {}, "CONV2D_1"}}});
}

TEST_F(Golden, Gpus) {
  compare({"gpus_light", ui::ViewId::gpus, ui::ThemeKind::light, 1, 1100, 500});
}

TEST_F(Golden, CudaSummary) {
  Shot shot{"cuda_summary_dark", ui::ViewId::cuda_summary, ui::ThemeKind::dark, 1};
  shot.is_export = true;
  shot.tables = {{"cuda_gpu_sum", {}, "[CUDA memcpy Host-to-Device]"},
                 {ui::kReportList, {}, "cuda_gpu_sum"}};
  compare(shot);
}

TEST_F(Golden, SystemAndData) {
  compare({"system_dark", ui::ViewId::system, ui::ThemeKind::dark, 1, 1100, 700});
}

// What the comparison lets pass and what it does not, on one of the pictures.
class PictureDifference : public ::testing::Test {
 protected:
  void SetUp() override {
    auto picture = render::read_png(kGolden / "dashboard_dark.png");
    ASSERT_TRUE(picture.ok()) << base::to_text(picture.error());
    golden_ = std::move(*picture);
  }
  uint8_t& at(render::Image& image, int x, int y, int channel) const {
    return image.rgb[static_cast<std::size_t>((y * image.width + x) * 3 + channel)];
  }
  // The part of the golden picture from (left, top) on, moved by (dx, dy).
  render::Image moved(int left, int top, int width, int height, int dx, int dy) {
    render::Image picture = golden_;
    for (int y = top; y < top + height; ++y) {
      for (int x = left; x < left + width; ++x) {
        for (int c = 0; c < 3; ++c) at(picture, x + dx, y + dy, c) = at(golden_, x, y, c);
      }
    }
    return picture;
  }

  render::Image golden_;
};

TEST_F(PictureDifference, OfAPictureWithItselfIsNone) {
  EXPECT_EQ(difference(golden_, golden_).share, 0);
}

TEST_F(PictureDifference, ForgivesOtherRoundingOfColors) {
  render::Image picture = golden_;
  std::minstd_rand random(1);
  for (uint8_t& value : picture.rgb) {
    const int off = static_cast<int>(random() % 17) - 8;
    value = static_cast<uint8_t>(std::clamp(value + off, 0, 255));
  }
  EXPECT_FALSE(difference(golden_, picture).is_much());
}

TEST_F(PictureDifference, ForgivesSofterEdges) {
  render::Image picture = golden_;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 1; x + 1 < picture.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        at(picture, x, y, c) = static_cast<uint8_t>(
            (at(golden_, x - 1, y, c) + 14 * at(golden_, x, y, c) + at(golden_, x + 1, y, c)) / 16);
      }
    }
  }
  EXPECT_NE(picture, golden_);
  const testing::PictureDifference found = difference(golden_, picture);
  EXPECT_FALSE(found.is_much()) << found.share << " at " << found.x << ", " << found.y;
}

TEST_F(PictureDifference, ForgivesAPixelOfMovement) {
  EXPECT_FALSE(difference(golden_, moved(200, 150, 400, 300, 1, 0)).is_much());
}

TEST_F(PictureDifference, SeesAMovedPanel) {
  EXPECT_TRUE(difference(golden_, moved(12, 110, 600, 300, 4, 0)).is_much());
  EXPECT_TRUE(difference(golden_, moved(12, 110, 600, 300, 0, 4)).is_much());
}

TEST_F(PictureDifference, SeesAMissingWord) {
  struct Word {
    int left, top, right, bottom;
  };
  for (const Word& word : {Word{24, 229, 78, 246}, Word{763, 304, 811, 320}}) {
    render::Image picture = golden_;
    for (int y = word.top; y < word.bottom; ++y) {
      for (int x = word.left; x < word.right; ++x) {
        for (int c = 0; c < 3; ++c) at(picture, x, y, c) = at(golden_, word.left, word.top, c);
      }
    }
    EXPECT_TRUE(difference(golden_, picture).is_much()) << word.left << ", " << word.top;
  }
}

TEST_F(PictureDifference, SeesAnotherColor) {
  render::Image picture = golden_;
  std::replace(picture.rgb.begin(), picture.rgb.end(), uint8_t{0xf2}, uint8_t{0xa0});
  EXPECT_TRUE(difference(golden_, picture).is_much());
}

TEST_F(PictureDifference, SeesAnotherSize) {
  EXPECT_TRUE(difference(golden_, render::Image(1280, 799)).is_much());
}

}  // namespace
}  // namespace dlview::app
