// dlview [FILE]: the program in its window. Nothing is drawn while nothing changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/display_options.h"

namespace dlview::app {

struct WindowProgramOptions {
  std::vector<std::string> paths;
  bool demo = false;
  DisplayOptions display;
  // For tests: the state as JSON, written after every frame that changed it.
  std::optional<std::string> state_file;
};

// Returns when the window is closed: 2 when it shows errors alone, else 0.
int run_window(const WindowProgramOptions& options);
void bind_window(CLI::App& program, WindowProgramOptions& options);

}  // namespace dlview::app
