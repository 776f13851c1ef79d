// What a user does to a window, in the order it happened. The window produces these and the test
// driver writes them by hand, so both go the same way through the program.
#pragma once

#include <string>
#include <variant>

namespace dlview::render {

// Framebuffer pixels, origin at the top left. Outside the window both are negative.
struct MouseMove {
  float x = 0, y = 0;
};
struct MouseButton {
  int button = 0;  // 0 left, 1 right, 2 middle
  bool down = false;
};
struct MouseWheel {
  float x = 0, y = 0;  // lines; y > 0 away from the user
};
// `key` is a GLFW key code; of keys that print, the one that the user's keyboard layout says, so
// that "Ctrl+Z" is where the user's Z is.
struct Key {
  int key = 0;
  bool down = false;
  int position = 0;  // the key that the American layout has at its place; 0 = the same
};
struct Character {
  char32_t code_point = 0;
};
struct FileDrop {
  std::string path;
};

using InputEvent = std::variant<MouseMove, MouseButton, MouseWheel, Key, Character, FileDrop>;

}  // namespace dlview::render
