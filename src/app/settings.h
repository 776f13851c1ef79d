// Settings: what the window remembers from one run to the next. They are a convenience: missing,
// broken or unwritable ones are passed over in silence.
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
  bool operator==(const Settings&) const = default;
};

std::filesystem::path settings_file();

// What the file does not say, or says wrongly, is as above.
Settings read_settings(const std::filesystem::path& path);
void write_settings(const Settings& settings, const std::filesystem::path& path);

}  // namespace dlview::app
