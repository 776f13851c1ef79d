// dlview screenshot FILE: a view as a picture, drawn without a display.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/display_options.h"

namespace dlview::app {

struct ScreenshotOptions {
  std::string path;
  std::vector<std::string> captures = {};  // of the view Trend: all files; empty = one file
  std::string output;
  std::optional<std::string> view;  // not given: as --state says, else the dashboard
  std::string size = "1280x800";
  DisplayOptions display;
};

// The same bytes for the same file and options.
base::Status take_screenshot(const ScreenshotOptions& options);

int run_screenshot(const ScreenshotOptions& options);
void bind_screenshot(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
