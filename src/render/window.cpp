#include "render/window.h"

#include <array>
#include <atomic>
#include <utility>

#define GLFW_INCLUDE_NONE  // OpenGL comes from glad
#include <GLFW/glfw3.h>

#include "render/gl.h"

namespace dlview::render {
namespace {

std::atomic<bool> can_wake = false;

base::Error window_error() {
  const char* reason = nullptr;
  glfwGetError(&reason);
  return {"Cannot open a window", reason == nullptr ? "the system gave no reason" : reason,
          "Use `dlview screenshot` for screenshots and `dlview table` for tables: they need no "
          "display"};
}

// GLFW names keys after the American layout; see input_event.h.
int layout_key(int key, int scancode) {
  if (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_EQUAL) return key;
  const char* name = glfwGetKeyName(key, scancode);
  if (name == nullptr || name[0] == '\0' || name[1] != '\0') return key;
  const char letter = name[0];
  return letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter;
}

}  // namespace

struct Window::Cursors {
  std::array<GLFWcursor*, 5> shapes{
      glfwCreateStandardCursor(GLFW_ARROW_CURSOR), glfwCreateStandardCursor(GLFW_IBEAM_CURSOR),
      glfwCreateStandardCursor(GLFW_VRESIZE_CURSOR), glfwCreateStandardCursor(GLFW_HRESIZE_CURSOR),
      glfwCreateStandardCursor(GLFW_HAND_CURSOR)};
};

struct Window::Callbacks {
  static Window& of(GLFWwindow* window) {
    return *static_cast<Window*>(glfwGetWindowUserPointer(window));
  }
  static void add(GLFWwindow* window, InputEvent event) {
    of(window).events_.push_back(std::move(event));
  }

  static void cursor_position(GLFWwindow* window, double x, double y) {
    const Size screen = of(window).size();
    const Size pixels = of(window).framebuffer_size();
    if (screen.width == 0 || screen.height == 0) return;
    add(window, MouseMove{static_cast<float>(x * pixels.width / screen.width),
                          static_cast<float>(y * pixels.height / screen.height)});
  }
  static void cursor_enter(GLFWwindow* window, int entered) {
    if (entered == GLFW_FALSE) add(window, MouseMove{-1, -1});
  }
  static void mouse_button(GLFWwindow* window, int button, int action, int /*modifiers*/) {
    add(window, MouseButton{button, action == GLFW_PRESS});
  }
  static void scroll(GLFWwindow* window, double x, double y) {
    add(window, MouseWheel{static_cast<float>(x), static_cast<float>(y)});
  }
  static void key(GLFWwindow* window, int key, int scancode, int action, int /*modifiers*/) {
    if (key == GLFW_KEY_UNKNOWN || action == GLFW_REPEAT) return;
    add(window, Key{layout_key(key, scancode), action == GLFW_PRESS, key});
  }
  static void character(GLFWwindow* window, unsigned int code_point) {
    add(window, Character{code_point});
  }
  static void drop(GLFWwindow* window, int count, const char** paths) {
    for (int i = 0; i < count; ++i) add(window, FileDrop{paths[i]});
  }
  static void refresh(GLFWwindow* window) { of(window).damaged_ = true; }
  static void rescale(GLFWwindow* window, float /*x*/, float /*y*/) { of(window).damaged_ = true; }
  static void resize(GLFWwindow* window, int /*width*/, int /*height*/) {
    of(window).damaged_ = true;
  }

  static void install(GLFWwindow* window) {
    glfwSetCursorPosCallback(window, cursor_position);
    glfwSetCursorEnterCallback(window, cursor_enter);
    glfwSetMouseButtonCallback(window, mouse_button);
    glfwSetScrollCallback(window, scroll);
    glfwSetKeyCallback(window, key);
    glfwSetCharCallback(window, character);
    glfwSetDropCallback(window, drop);
    glfwSetWindowRefreshCallback(window, refresh);
    glfwSetFramebufferSizeCallback(window, resize);
    glfwSetWindowContentScaleCallback(window, rescale);
  }
};

base::Result<std::unique_ptr<Window>> Window::create(const WindowOptions& options) {
  if (glfwInit() == GLFW_FALSE) return window_error();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SRGB_CAPABLE, GLFW_FALSE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "dlview");
  GLFWwindow* handle =
      glfwCreateWindow(options.width, options.height, options.title.c_str(), nullptr, nullptr);
  if (handle == nullptr) {
    const base::Error error = window_error();
    glfwTerminate();
    return error;
  }
  if (options.min_width > 0 && options.min_height > 0) {
    glfwSetWindowSizeLimits(handle, options.min_width, options.min_height, GLFW_DONT_CARE,
                            GLFW_DONT_CARE);
  }
  std::unique_ptr<Window> window(new Window(handle));
  glfwMakeContextCurrent(handle);
  DLVIEW_TRY(load_gl(glfwGetProcAddress));
  glfwSwapInterval(1);
  can_wake = true;
  return window;
}

Window::Window(GLFWwindow* window) : window_(window), cursors_(std::make_unique<Cursors>()) {
  glfwSetWindowUserPointer(window_, this);
  Callbacks::install(window_);
}

Window::~Window() {
  can_wake = false;
  glfwDestroyWindow(window_);
  glfwTerminate();
}

Window::Size Window::framebuffer_size() const {
  Size size;
  glfwGetFramebufferSize(window_, &size.width, &size.height);
  return size;
}

Window::Size Window::size() const {
  Size size;
  glfwGetWindowSize(window_, &size.width, &size.height);
  return size;
}

float Window::content_scale() const {
  float scale = 1;
  glfwGetWindowContentScale(window_, &scale, nullptr);
  return scale;
}

bool Window::should_close() const {
  return glfwWindowShouldClose(window_) == GLFW_TRUE;
}
void Window::close() {
  glfwSetWindowShouldClose(window_, GLFW_TRUE);
}

void Window::hide() {
  glfwHideWindow(window_);
}

void Window::wait_events(double timeout_s) {
  if (timeout_s > 0) {
    glfwWaitEventsTimeout(timeout_s);
  } else {
    glfwWaitEvents();
  }
}

void Window::poll_events() {
  glfwPollEvents();
}
void Window::wake() {
  if (can_wake) glfwPostEmptyEvent();
}

std::vector<InputEvent> Window::take_events() {
  return std::exchange(events_, {});
}
bool Window::take_damage() {
  return std::exchange(damaged_, false);
}

void Window::show_frame() {
  glfwSwapBuffers(window_);
}
void Window::set_title(const std::string& title) {
  glfwSetWindowTitle(window_, title.c_str());
}

void Window::set_cursor(CursorShape shape) {
  glfwSetCursor(window_, cursors_->shapes[static_cast<std::size_t>(shape)]);
}

std::string Window::clipboard() const {
  const char* text = glfwGetClipboardString(window_);
  return text == nullptr ? "" : text;
}

void Window::set_clipboard(const std::string& text) {
  glfwSetClipboardString(window_, text.c_str());
}

}  // namespace dlview::render
