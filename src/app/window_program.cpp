#include "app/window_program.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <imgui.h>

#include "app/open_link.h"
#include "app/open_requests.h"
#include "app/picture_file.h"
#include "app/program.h"
#include "app/settings.h"
#include "app/state_file.h"
#include "render/framebuffer.h"
#include "render/window.h"

namespace dlview::app {
namespace {

constexpr double kFrameSeconds = 1.0 / 60;
constexpr double kProgressSeconds = 0.1;  // between two looks at a loading file

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

base::Status require_display() {
  if (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) return base::Success{};
  return base::Error{"There is no display to open a window on",
                     "neither DISPLAY nor WAYLAND_DISPLAY is set",
                     "Use `dlview screenshot` for pictures and `dlview report` for tables, which "
                     "need no display"};
}

class WindowProgram {
 public:
  WindowProgram(render::Window& window, const WindowProgramOptions& options, const Display& display,
                const Settings& settings)
      : window_(window),
        fixed_scale_(display.scale),
        program_(program_options(display, settings), hooks(options, display)) {
    if (options.state_file) state_file_.emplace(*options.state_file);
    connect_clipboard();
    if (options.demo) program_.open_demo();
    if (options.path) program_.open_file(*options.path);
  }

  void run() {
    while (!window_.should_close()) {
      window_.wait_events(longest_wait_s());
      program_.add_input(window_.take_events());
      program_.poll();
      if (!fixed_scale_) program_.set_display_scale(window_.content_scale());
      const bool damaged = window_.take_damage();
      if (damaged || longest_wait_s() > 0) show_frame();
    }
  }

  const Program& program() const { return program_; }

 private:
  // Until a frame is wanted without any event; 0 = for ever.
  double longest_wait_s() const {
    if (program_.wants_frame() || program_.mouse_is_down()) return kFrameSeconds;
    if (program_.session().state() == Session::State::loading) return kProgressSeconds;
    return 0;
  }

  ProgramOptions program_options(const Display& display, const Settings& settings) const {
    ProgramOptions options;
    options.theme = display.theme.value_or(settings.theme);
    options.zoom = settings.zoom;
    options.display_scale = fixed_scale_.value_or(window_.content_scale());
    return options;
  }

  ProgramHooks hooks(const WindowProgramOptions& options, const Display& display) {
    ProgramHooks hooks;
    hooks.wake = render::Window::wake;
    // What the command line says of iterations is meant for the profile that it opens.
    hooks.demo = [display, options] {
      return demo_request(options.demo ? options.display.selection : SelectionRequest{},
                          display.engine);
    };
    hooks.file = [display, options](const std::string& path) {
      return file_request(path,
                          options.path == path ? options.display.selection : SelectionRequest{},
                          display.engine);
    };
    hooks.open_link = open_link;
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
    const render::Window::Size size = window_.framebuffer_size();
    if (size.width == 0 || size.height == 0) return;
    program_.draw_frame(size.width, size.height, seconds_since_last_frame());
    if (program_.take_screenshot_request()) {
      save_picture(program_, render::read_pixels(size.width, size.height));
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

  render::Window& window_;
  std::optional<float> fixed_scale_;
  Program program_;
  std::optional<StateFile> state_file_;
  std::string title_;
  std::string clipboard_;
  std::chrono::steady_clock::time_point last_frame_ = std::chrono::steady_clock::now();
};

// A theme given on the command line is for this run.
Settings settings_after(const Program& program, const render::Window& window,
                        const Display& display, const Settings& before) {
  const bool theme_was_chosen = !display.theme || program.theme() != *display.theme;
  const render::Window::Size size = window.size();
  return {theme_was_chosen ? program.theme() : before.theme, program.zoom(), size.width,
          size.height};
}

}  // namespace

int run_window(const WindowProgramOptions& options) {
  const base::Result<Display> display = parse_display(options.display);
  if (!display) return unusable(display.error());
  if (const base::Status there = require_display(); !there) return unusable(there.error());
  const Settings settings = read_settings(settings_file());
  auto window = render::Window::create({"dlview", settings.window_width, settings.window_height});
  if (!window) return unusable(window.error());
  WindowProgram program(**window, options, *display, settings);
  program.run();
  write_settings(settings_after(program.program(), **window, *display, settings), settings_file());
  const bool failed = program.program().session().state() == Session::State::failed;
  return failed ? kExitUnusable : kExitSuccess;
}

void bind_window(CLI::App& program, WindowProgramOptions& options) {
  CLI::Option* path = program.add_option("DB", options.path, "Profile to open");
  program.add_flag("--demo", options.demo, "Generate and open the demo profile")->excludes(path);
  bind_display(program, options.display);
  program.add_option("--state-file", options.state_file)->group("");
}

}  // namespace dlview::app
