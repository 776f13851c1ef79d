// Settings: what the window remembers from one run to the next. They are a convenience: missing,
// broken or unwritable ones are ignored.
#pragma once

#include <filesystem>

#include "aggregate/thresholds.h"
#include "ui/model.h"

namespace dlview::app {

struct Settings {
  ui::ThemeKind theme = ui::ThemeKind::dark;
  float zoom = 1;
  int window_width = 1280, window_height = 800;
  aggregate::AdviceThresholds thresholds = {};
  ui::PaletteKind palette = ui::PaletteKind::standard;
  bool reduced_motion = false;
  bool operator==(const Settings&) const = default;
};

std::filesystem::path settings_file();

// Missing and invalid values are the defaults above.
Settings read_settings(const std::filesystem::path& path);
void write_settings(const Settings& settings, const std::filesystem::path& path);

}  // namespace dlview::app
