// Program: the whole interactive program except for where it draws. It takes input events, keeps
// the view, the theme and the session, and draws frames into whatever framebuffer is bound, so the
// window, the screenshots and the tests run the same code.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/command_registry.h"
#include "app/imgui_input.h"
#include "app/imgui_setup.h"
#include "app/session.h"
#include "render/input_event.h"
#include "render/window.h"
#include "ui/model.h"
#include "ui/shell.h"

namespace dlview::app {

struct ProgramOptions {
  ui::ThemeKind theme = ui::ThemeKind::dark;
  ui::ViewId view = ui::ViewId::dashboard;
  float display_scale = 1;   // of the monitor, or as --scale says
  float zoom = 1;            // the user's, on top of it
  bool show_timings = true;  // false: pictures that must not differ between two runs
};

// What only the surroundings can do. All but `wake` are called on the main thread, inside a frame.
struct ProgramHooks {
  std::function<void()> wake;  // on any thread: poll() has something to do
  std::function<OpenRequest()> demo;
  std::function<OpenRequest(const std::string& path)> file;
  std::function<void(const std::string& url)> open_link;
  std::function<void()> quit;
};

class Program final : public ui::Host {
 public:
  // Needs a current OpenGL context, also at destruction. One Program at a time.
  Program(const ProgramOptions& options, ProgramHooks hooks);

  void open(OpenRequest request);
  void open_demo() { open(hooks_.demo()); }
  void open_file(const std::string& path) { open(hooks_.file(path)); }

  void add_input(const std::vector<render::InputEvent>& events);
  // Takes over what other threads have finished.
  void poll();
  // Nothing is loading or being computed; settle() blocks until then.
  bool settled() const { return session_.settled(); }
  void settle();

  // Whether a frame drawn now could differ from the last one.
  bool wants_frame() const;
  // A held button repeats and scrolls on its own: frames are wanted as long as it is held.
  bool mouse_is_down() const { return input_.mouse_is_down(); }
  // Builds a frame and draws it into the bound framebuffer. When the frame itself changed what it
  // shows (a dragged bound), it is built anew before it is drawn, so all panels always agree.
  void draw_frame(int width, int height, float seconds);

  render::CursorShape cursor() const;
  std::string title() const;

  // The screenshot command was run; cleared by the call. The picture is the next frame drawn.
  bool take_screenshot_request();
  void show_notice(std::string notice);

  void set_display_scale(float scale);
  // Multiplies the zoom, within 0.5 .. 3; 0 resets it.
  void change_zoom(float factor);
  void toggle_theme();
  void toggle_kernel_details();
  void request_screenshot();
  void quit() { hooks_.quit(); }

  // ui::Host
  void select(const aggregate::Selection& selection) override;
  void show(ui::ViewId view) override;
  void run_command(std::string_view id) override;
  void cancel_loading() override;
  void copy_text(const std::string& text) override;
  void open_link(const std::string& url) override;

  const Session& session() const { return session_; }
  const CommandRegistry& commands() const { return commands_; }
  const ui::Inspector& inspector() const { return shell_.inspector(); }
  const std::string& notice() const { return notice_; }
  ui::ViewId view() const { return view_; }
  ui::ThemeKind theme() const { return theme_; }
  float zoom() const { return zoom_; }
  bool kernel_details() const { return kernel_details_; }

 private:
  void apply_look();
  // The model refers to `commands`.
  ui::Model describe(const std::vector<ui::CommandInfo>& commands) const;
  // What is shown has changed: this frame is built anew, and some more follow.
  void changed();

  ProgramHooks hooks_;
  ImGuiSetup imgui_;
  ui::Shell shell_;
  ImGuiInput input_;
  CommandRegistry commands_;
  Session session_;

  ui::ViewId view_;
  ui::ThemeKind theme_;
  float display_scale_;
  float zoom_;
  bool show_timings_;
  bool kernel_details_ = false;
  bool screenshot_requested_ = false;
  std::string notice_;

  bool rebuild_ = false;
  int frames_to_draw_ = 1;
};

}  // namespace dlview::app
