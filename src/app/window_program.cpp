#include "app/window_program.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include <imgui.h>

#include "app/demo.h"
#include "app/open_link.h"
#include "app/output_files.h"
#include "app/program.h"
#include "app/quit_signals.h"
#include "app/settings.h"
#include "app/state_json.h"
#include "render/framebuffer.h"
#include "render/window.h"
#include "workspace/open_request.h"
#include "workspace/rank_files.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

constexpr int kMinWidth = 900, kMinHeight = 600;
constexpr double kFramePeriodSeconds = 1.0 / 60;
constexpr double kProgressSeconds = 0.1;  // between two looks at a loading file
// A file that comes sooner (out of the cache, or a small one) is in the first frame.
constexpr std::chrono::milliseconds kNotWorthAPage{50};

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

base::Status require_display(bool has_file) {
  if (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) return base::Success{};
  if (!has_file) {
    return base::Error{
        "No display and no profile",
        "neither DISPLAY nor WAYLAND_DISPLAY is set, and the command line names no profile",
        "Usage: dlview info|report|verify|screenshot FILE; `dlview --help` lists all"};
  }
  return base::Error{"No display", "neither DISPLAY nor WAYLAND_DISPLAY is set",
                     "Use `dlview screenshot` for screenshots and `dlview table` for tables: they "
                     "need no display"};
}

struct FirstFiles {
  std::vector<workspace::OpenRequest> requests;
  std::size_t shown = 0;
  std::vector<std::string> ranks = {};  // files of one run, instead
};

// What the command line says of iterations is meant for the file that --state names, else for the
// first; that one is shown. The others open as they were left.
base::Result<FirstFiles> first_files(const std::vector<std::string>& paths,
                                     const workspace::SelectionRequest& asked,
                                     const workspace::FileMemory& memory,
                                     workspace::EngineChoice engine) {
  if (workspace::mean_ranks(paths)) return FirstFiles{{}, 0, paths};
  workspace::SelectionRequest nothing;
  nothing.use_cache = asked.use_cache;
  const auto meant = std::ranges::find_if(paths, [&](const std::string& path) {
    return workspace::check_state_file(asked, path).ok();
  });
  if (meant == paths.end() && !paths.empty()) {
    return workspace::check_state_file(asked, paths.front()).error();
  }
  FirstFiles first{{}, static_cast<std::size_t>(meant - paths.begin())};
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    first.requests.push_back(
        path == meant && asked != nothing
            ? workspace::file_request(*path, asked, engine, workspace::RangeBeyondEnd::opens_all)
            : workspace::request_as_left(*path, memory, asked.use_cache, engine));
  }
  return first;
}

// A theme or palette from the command line is for this run only.
Settings settings_after(const Program& program, render::Window::Size size, const Display& display,
                        const Settings& before) {
  const bool theme_was_chosen = !display.theme || program.theme() != *display.theme;
  const bool palette_was_chosen = !display.palette || program.palette() != *display.palette;
  return {theme_was_chosen ? program.theme() : before.theme,
          program.zoom(),
          size.width,
          size.height,
          program.thresholds(),
          palette_was_chosen ? program.palette() : before.palette,
          program.reduced_motion()};
}

class WindowProgram {
 public:
  // `first` are what to begin with.
  WindowProgram(render::Window& window, const WindowProgramOptions& options, const Display& display,
                const Settings& settings, workspace::FileMemory& memory, base::Scheduler& scheduler,
                FirstFiles first)
      : window_(window),
        display_(display),
        settings_(settings),
        size_(window.size()),
        fixed_scale_(display.scale),
        memory_(memory),
        bookmarks_(workspace::bookmark_file()),
        links_(scheduler),
        program_(program_options(display, settings), hooks(options, display), scheduler) {
    if (options.state_file) state_file_.emplace(*options.state_file);
    connect_clipboard();
    if (options.demo) program_.open_demo();
    program_.open_several(std::move(first.requests), first.shown);
    if (!first.ranks.empty()) program_.open_ranks(first.ranks, !options.display.selection.view);
    open_window = this;
    [[maybe_unused]] static const int registered = std::atexit(save_open_window);
  }
  ~WindowProgram() { open_window = nullptr; }
  WindowProgram(const WindowProgram&) = delete;
  WindowProgram& operator=(const WindowProgram&) = delete;

  void run() {
    try {
      show_until_closed();
    } catch (...) {
      save();
      throw;
    }
    save();
  }

  const Program& program() const { return program_; }

 private:
  void show_until_closed() {
    program_.await_loading(kNotWorthAPage);
    while (!window_.should_close() && !quit_signals_.arrived()) {
      window_.wait_events(longest_wait_s());
      program_.add_input(window_.take_events());
      program_.poll();
      if (const auto url = links_.take_failed()) program_.link_failed(*url);
      if (!fixed_scale_) program_.set_display_scale(window_.content_scale());
      const bool damaged = window_.take_damage();
      if (damaged || longest_wait_s() > 0) show_frame();
    }
    window_.hide();  // the memory of a large profile takes seconds to free
  }

  // Without a word to the display, which may be gone.
  void save() {
    open_window = nullptr;
    program_.remember();
    write_settings(settings_after(program_, size_, display_, settings_), settings_file());
  }
  // Xlib calls exit() where the connection to the display is lost.
  static void save_open_window() {
    if (open_window != nullptr) open_window->save();
  }

  // Until a frame is wanted without any event; 0 = for ever.
  double longest_wait_s() const {
    if (program_.wants_frame() || program_.mouse_is_down()) return kFramePeriodSeconds;
    if (program_.shows_progress()) return kProgressSeconds;
    return program_.next_change_s();
  }

  ProgramOptions program_options(const Display& display, const Settings& settings) const {
    ProgramOptions options;
    options.theme = display.theme.value_or(settings.theme);
    options.palette = display.palette.value_or(settings.palette);
    options.reduced_motion = settings.reduced_motion;
    options.zoom = settings.zoom;
    options.thresholds = settings.thresholds;
    options.display_scale = fixed_scale_.value_or(window_.content_scale());
    return options;
  }

  ProgramHooks hooks(const WindowProgramOptions& options, const Display& display) {
    ProgramHooks hooks;
    hooks.demo = [display, options] {
      return demo_request(options.demo ? options.display.selection : workspace::SelectionRequest{},
                          display.engine, workspace::RangeBeyondEnd::opens_all);
    };
    hooks.file = [this, display, options](const std::string& path) {
      return workspace::request_as_left(path, memory_, options.display.selection.use_cache,
                                        display.engine);
    };
    hooks.of_ranks.key_op = options.display.selection.key_op;
    hooks.of_ranks.cut = options.display.selection.cut;
    hooks.of_ranks.split_by = options.display.selection.split_by;
    hooks.of_ranks.use_cache = options.display.selection.use_cache;
    hooks.open_link = [this](const std::string& url) { links_.open(url); };
    hooks.failed = [](const base::Error& error) { unusable(error); };
    hooks.memory = &memory_;
    hooks.bookmarks = &bookmarks_;
    hooks.quit = [this] { window_.close(); };
    return hooks;
  }

  void connect_clipboard() {
    ImGuiIO& io = ImGui::GetIO();
    io.ClipboardUserData = this;
    io.SetClipboardTextFn = [](void* self, const char* text) {
      static_cast<WindowProgram*>(self)->window_.set_clipboard(text);
    };
    io.GetClipboardTextFn = [](void* self) {
      auto* program = static_cast<WindowProgram*>(self);
      program->clipboard_ = program->window_.clipboard();
      return program->clipboard_.c_str();
    };
  }

  void show_frame() {
    size_ = window_.size();
    const render::Window::Size size = window_.framebuffer_size();
    if (size.width == 0 || size.height == 0) return;
    program_.draw_frame(size.width, size.height, seconds_since_last_frame());
    if (const auto request = program_.take_picture_request()) {
      save_picture(program_, render::read_pixels(size.width, size.height), *request);
    }
    window_.show_frame();
    window_.set_cursor(program_.cursor());
    if (title_ != program_.title()) window_.set_title(title_ = program_.title());
    if (state_file_) state_file_->write(program_);
  }

  float seconds_since_last_frame() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<float> seconds = now - last_frame_;
    last_frame_ = now;
    return seconds.count();
  }

  static inline WindowProgram* open_window = nullptr;  // that has something to save

  render::Window& window_;
  Display display_;
  Settings settings_;          // as they were read
  render::Window::Size size_;  // at the last frame
  std::optional<float> fixed_scale_;
  workspace::FileMemory& memory_;
  workspace::BookmarkFile bookmarks_;
  LinkOpener links_;
  QuitSignals quit_signals_{render::Window::wake};
  Program program_;
  std::optional<StateFile> state_file_;
  std::string title_;
  std::string clipboard_;
  std::chrono::steady_clock::time_point last_frame_ = std::chrono::steady_clock::now();
};

}  // namespace

int run_window(const WindowProgramOptions& options) {
  const base::Result<Display> display = parse_display(options.display);
  if (!display) return unusable(display.error());
  if (const base::Status there = require_display(!options.paths.empty() || options.demo); !there) {
    return unusable(there.error());
  }
  const Settings settings = read_settings(settings_file());
  workspace::FileMemory memory(workspace::file_memory_file());
  std::unique_ptr<render::Window> window;  // outlives the tasks that wake it
  base::Scheduler scheduler(render::Window::wake);
  auto first = first_files(options.paths, options.display.selection, memory, display->engine);
  if (!first) return unusable(first.error());
  // While the window is being made, which takes as long.
  if (!first->requests.empty() && first->requests[first->shown].cached) {
    first->requests[first->shown].cached->look_ahead(scheduler);
  }
  auto created =
      render::Window::create({"dlview", std::max(settings.window_width, kMinWidth),
                              std::max(settings.window_height, kMinHeight), kMinWidth, kMinHeight});
  if (!created) return unusable(created.error());
  window = *std::move(created);
  WindowProgram program(*window, options, *display, settings, memory, scheduler, *std::move(first));
  program.run();
  const auto has = [&](workspace::Session::State state) {
    return std::ranges::any_of(program.program().runs(),
                               [&](const auto& run) { return run->state() == state; });
  };
  const bool shows_nothing =
      !has(workspace::Session::State::open) && has(workspace::Session::State::failed);
  return shows_nothing ? kExitUnusable : kExitSuccess;
}

void bind_window(CLI::App& program, WindowProgramOptions& options) {
  CLI::Option* path = program.add_option(
      "FILE", options.paths, "Profiles to open; or a folder, pattern or summary of ranks");
  program.add_flag("--demo", options.demo, "Generate and open the demo profile")->excludes(path);
  bind_display(program, options.display);
  program.add_option("--state-file", options.state_file)->group("");
}

}  // namespace dlview::app
