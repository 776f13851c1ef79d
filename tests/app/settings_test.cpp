#include "app/settings.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "support/test_data.h"

namespace dlview::app {
namespace {

class SettingsTest : public ::testing::Test {
 protected:
  void write(const char* text) { std::ofstream(path_) << text; }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "settings.json";
};

TEST_F(SettingsTest, AreReadBackAsTheyWereWritten) {
  Settings settings{ui::ThemeKind::light, 1.25f, 1920, 1080};
  settings.thresholds.gap = 25;
  settings.thresholds.saving = 0;
  settings.palette = ui::PaletteKind::colorblind;
  settings.reduced_motion = true;
  write_settings(settings, folder_.path() / "new" / "settings.json");
  EXPECT_EQ(read_settings(folder_.path() / "new" / "settings.json"), settings);
}

TEST_F(SettingsTest, AreTheUsualOnesWhereThereIsNoFile) {
  EXPECT_EQ(read_settings(path_), Settings{});
}

// Reading a folder throws; a FIFO has to be waited for.
TEST_F(SettingsTest, AreTheUsualOnesWhereThereIsNoRegularFile) {
  std::filesystem::create_directory(path_);
  EXPECT_EQ(read_settings(path_), Settings{});
  write_settings({}, path_);
  EXPECT_TRUE(std::filesystem::is_directory(path_));
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(read_settings(path_), Settings{});
}

TEST_F(SettingsTest, AreTheUsualOnesWhereTheFileIsBroken) {
  for (const char* text : {"", "{", "[1, 2]", "null", R"({"theme": 7, "zoom": "x"})",
                           R"({"window_width": -5, "window_height": 1e300, "zoom": 100})",
                           R"({"palette": 3, "reduced_motion": "yes"})", R"({"thresholds": 7})",
                           R"({"thresholds": {"gap": -1, "x": 3}})"}) {
    write(text);
    EXPECT_EQ(read_settings(path_), Settings{}) << text;
  }
}

TEST_F(SettingsTest, KeepWhatIsRightInAHalfBrokenFile) {
  write(R"({"theme": "light", "zoom": [], "window_width": 900})");
  const Settings settings = read_settings(path_);
  EXPECT_EQ(settings.theme, ui::ThemeKind::light);
  EXPECT_EQ(settings.zoom, 1.0f);
  EXPECT_EQ(settings.window_width, 900);
}

TEST_F(SettingsTest, DoNotMindAFolderThatCannotBeWritten) {
  write_settings({}, "/proc/dlview/settings.json");
  EXPECT_EQ(read_settings("/proc/dlview/settings.json"), Settings{});
}

}  // namespace
}  // namespace dlview::app
