// Window: the one native window of the program (GLFW) with its OpenGL 3.3 core context. It collects
// input as events and sleeps until there is some; it draws nothing by itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "render/input_event.h"

struct GLFWwindow;

namespace dlview::render {

struct WindowOptions {
  std::string title;
  int width = 1280, height = 800;  // screen coordinates
  int min_width = 0, min_height = 0;
};

enum class CursorShape { arrow, text, resize_ns, resize_ew, hand };

class Window {
 public:
  // Current on the calling thread, which has to be the main one. Fails without a display.
  static base::Result<std::unique_ptr<Window>> create(const WindowOptions& options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  struct Size {
    int width = 0, height = 0;
    bool operator==(const Size&) const = default;
  };
  Size framebuffer_size() const;  // pixels; 0x0 while the window is iconified
  Size size() const;              // screen coordinates
  float content_scale() const;    // 1 = 96 dpi

  bool should_close() const;
  void close();
  // Takes the window off the screen at once.
  void hide();

  // Sleeps until input, wake() or, when `timeout_s` is above 0, so many seconds have passed.
  void wait_events(double timeout_s);
  void poll_events();
  // Makes a wait_events() return; may be called on any thread, but not while the window is being
  // destroyed. Does nothing without a window.
  static void wake();

  // What happened since the last call, oldest first.
  std::vector<InputEvent> take_events();
  // The window's contents have to be drawn anew (it was resized or uncovered); cleared by the call.
  bool take_damage();

  void show_frame();  // swaps the buffers
  void set_title(const std::string& title);
  void set_cursor(CursorShape shape);
  std::string clipboard() const;
  void set_clipboard(const std::string& text);

 private:
  struct Callbacks;
  explicit Window(GLFWwindow* window);

  GLFWwindow* window_;
  struct Cursors;
  std::unique_ptr<Cursors> cursors_;
  std::vector<InputEvent> events_;
  bool damaged_ = true;
};

}  // namespace dlview::render
