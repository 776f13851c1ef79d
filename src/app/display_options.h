// The options of everything that draws: the window, `screenshot` and `drive`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/common.h"
#include "app/program.h"
#include "base/result.h"
#include "ui/model.h"
#include "workspace/engine.h"

namespace dlview::app {

inline constexpr float kMinScale = 0.5f, kMaxScale = 4.0f;  // --scale

// As they were typed; empty = not given.
struct DisplayOptions {
  std::string engine = "auto";
  std::optional<std::string> theme, palette;
  std::optional<float> scale;
  workspace::SelectionRequest selection;
};
void bind_display(CLI::App& command, DisplayOptions& options);
// Only the engine, and how everything looks.
void bind_looks(CLI::App& command, DisplayOptions& options);

// The captures of a trend that is shown in a window: adds them all to the selection, and returns
// the newest file, which opens; of equally new ones the last that is named.
std::string show_captures(const std::vector<std::string>& captures,
                          workspace::SelectionRequest& selection);

struct Display {
  workspace::EngineChoice engine = workspace::EngineChoice::automatic;
  std::optional<ui::ThemeKind> theme;
  std::optional<ui::PaletteKind> palette;
  std::optional<float> scale;
};
// Says on stderr when another engine than the wanted one is used.
base::Result<Display> parse_display(const DisplayOptions& options);

struct PictureSize {
  int width = 0, height = 0;
};
base::Result<PictureSize> parse_size(std::string_view text);  // "1920x1080"

// For a program without a window: no clock in the picture, and nothing to quit or to open links.
ProgramOptions offscreen_options(const Display& display, ui::ViewId view);
ProgramHooks offscreen_hooks(const Display& display, const workspace::SelectionRequest& selection);

}  // namespace dlview::app
