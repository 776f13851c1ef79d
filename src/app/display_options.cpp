#include "app/display_options.h"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "app/demo.h"
#include "base/parse.h"
#include "timeline/time_text.h"
#include "workspace/open_request.h"

namespace dlview::app {
namespace {

base::Result<ui::ThemeKind> parse_theme(std::string_view text) {
  if (text == "dark") return ui::ThemeKind::dark;
  if (text == "light") return ui::ThemeKind::light;
  return base::Error{fmt::format("Invalid --theme: \"{}\"", text), "", "Valid values: dark, light"};
}

base::Result<ui::PaletteKind> parse_palette(std::string_view text) {
  for (const auto kind : {ui::PaletteKind::standard, ui::PaletteKind::colorblind}) {
    if (text == ui::to_text(kind)) return kind;
  }
  return base::Error{fmt::format("Invalid --palette: \"{}\"", text), "",
                     "Valid values: default, colorblind"};
}

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// A part of the run to look at is looked at in the Timeline, unless another view is asked for.
void bind_timeline(CLI::App& command, workspace::SelectionRequest& request) {
  command.add_option_function<std::string>(
      "--time",
      [&request](const std::string& text) {
        const auto window = timeline::parse_window(text);
        if (!window) throw CLI::ValidationError("--time", base::to_text(window.error()));
        request.timeline.window = *window;
        request.view = workspace::kTimelineView;
      },
      "Time window of the Timeline: A:B with units, for example 1.20s:1.25s");
  command.add_option_function<std::string>(
      "--iteration",
      [&request](const std::string& text) {
        const auto number = base::parse_natural(text);
        if (!number)
          throw CLI::ValidationError("--iteration", text + " is not an iteration number");
        request.timeline.iteration = *number;
        request.view = workspace::kTimelineView;
      },
      "Iteration to show in the Timeline");
  // Their callbacks run in this order.
  command.add_option_function<std::string>(
      "--beside",
      [&request](const std::string& text) {
        const auto number = base::parse_natural(text);
        if (!number) throw CLI::ValidationError("--beside", text + " is not an iteration number");
        if (request.timeline.iteration) request.compared.iteration = request.timeline.iteration;
        request.compared.baseline = *number;
        request.timeline.iteration.reset();
        request.timeline.side_by_side = true;
        request.view = workspace::kTimelineView;
      },
      "Second iteration, shown below the first; --time then counts from the start of each");
}

// Relative to where dlview runs, whatever the folder of the profile.
void bind_with(CLI::App& command, workspace::SelectionRequest& request) {
  command.add_option_function<std::string>(
      "--with",
      [&request](const std::string& path) {
        std::error_code ignored;
        request.with.emplace().path = std::filesystem::absolute(path, ignored).string();
        request.view = workspace::kCompareView;
      },
      "Profile to compare with: what changed from FILE to it");
}

void bind_budgets(CLI::App& command, workspace::SelectionRequest& request) {
  const auto whole = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::absolute(path, ignored).string();
  };
  CLI::Option* budget = command.add_option_function<std::string>(
      "--budget",
      [&request, whole](const std::string& path) {
        request.shared.budgets.budget = whole(path);
        request.view = workspace::kBudgetsView;
      },
      "Budget file (TOML), to show which budgets the profile keeps");
  command
      .add_option_function<std::string>(
          "--baseline",
          [&request, whole](const std::string& path) {
            request.shared.budgets.baseline = whole(path);
          },
          "Baseline for --budget, as `dlview budget baseline` writes it")
      ->needs(budget);
}

}  // namespace

void bind_looks(CLI::App& command, DisplayOptions& options) {
  command.add_option("--engine", options.engine, "Engine: auto, cpu or cuda")
      ->capture_default_str();
  command.add_option("--theme", options.theme, "Theme: dark or light");
  command.add_option("--palette", options.palette, "Category colors: default or colorblind");
  command.add_option("--scale", options.scale, "Scale of text and controls; 1 = 96 dpi");
}

std::string show_captures(const std::vector<std::string>& captures,
                          workspace::SelectionRequest& selection) {
  namespace fs = std::filesystem;
  std::string newest_path = captures.back();
  std::optional<fs::file_time_type> newest;
  std::error_code error;
  for (const std::string& capture : captures) {
    const fs::file_time_type time = fs::last_write_time(capture, error);
    if (!error && (!newest || time >= *newest)) {
      newest = time;
      newest_path = capture;
    }
    selection.shared.captures.push_back(fs::absolute(capture, error).lexically_normal().string());
  }
  selection.view = workspace::kTrendView;
  return newest_path;
}

void bind_display(CLI::App& command, DisplayOptions& options) {
  bind_looks(command, options);
  bind_selection(command, options.selection);
  bind_timeline(command, options.selection);
  bind_with(command, options.selection);
  bind_budgets(command, options.selection);
}

base::Result<Display> parse_display(const DisplayOptions& options) {
  Display display;
  const base::Result<workspace::EngineChoice> engine = workspace::parse_engine(options.engine);
  if (!engine) return engine.error();
  display.engine = *engine;
  if (const auto notice = workspace::engine_notice(*engine)) fmt::print(stderr, "{}\n", *notice);
  if (options.theme) {
    const base::Result<ui::ThemeKind> theme = parse_theme(*options.theme);
    if (!theme) return theme.error();
    display.theme = *theme;
  }
  if (options.palette) {
    const base::Result<ui::PaletteKind> palette = parse_palette(*options.palette);
    if (!palette) return palette.error();
    display.palette = *palette;
  }
  display.scale = options.scale;
  if (!options.scale || (*options.scale >= kMinScale && *options.scale <= kMaxScale)) {
    return display;
  }
  return base::Error{fmt::format("Invalid --scale: {}", *options.scale), "",
                     fmt::format("Valid values: {} to {}", kMinScale, kMaxScale)};
}

base::Result<PictureSize> parse_size(std::string_view text) {
  const std::size_t cross = text.find('x');
  const std::optional<int> width = parse_number(text.substr(0, cross));
  if (cross != std::string_view::npos && width) {
    const std::optional<int> height = parse_number(text.substr(cross + 1));
    if (height && *width > 0 && *height > 0) return PictureSize{*width, *height};
  }
  return base::Error{fmt::format("Invalid --size: \"{}\"", text), "",
                     "Write width and height in pixels: --size 1920x1080"};
}

ProgramOptions offscreen_options(const Display& display, ui::ViewId view) {
  ProgramOptions options;
  options.theme = display.theme.value_or(ui::ThemeKind::dark);
  options.palette = display.palette.value_or(ui::PaletteKind::standard);
  options.view = view;
  options.display_scale = display.scale.value_or(1.0f);
  options.show_timings = false;
  return options;
}

ProgramHooks offscreen_hooks(const Display& display, const workspace::SelectionRequest& selection) {
  ProgramHooks hooks;
  hooks.demo = [display] { return demo_request({}, display.engine); };
  hooks.file = [display, selection](const std::string& path) {
    return workspace::file_request(path, selection, display.engine);
  };
  // What was asked of the iterations is meant for the other file, too, if it has such.
  workspace::SelectionRequest of_other;
  of_other.key_op = selection.key_op;
  of_other.cut = selection.cut;
  of_other.clock = selection.clock;
  of_other.split_by = selection.split_by;
  of_other.use_cache = selection.use_cache;
  of_other.limit_options = selection.limit_options;
  hooks.other_file = [display, of_other](const std::string& path) {
    return workspace::remembered_request(path, of_other, display.engine);
  };
  hooks.of_ranks = of_other;
  hooks.open_link = [](const std::string&) {};
  hooks.quit = [] {};
  return hooks;
}

}  // namespace dlview::app
