#include "app/imgui_input.h"

#include <variant>

#define GLFW_INCLUDE_NONE  // for the key codes alone
#include <GLFW/glfw3.h>
#include <imgui.h>

#include "app/imgui_events.h"

namespace dlview::app {

// What has already happened in the frame that is being filled.
struct ImGuiInput::FrameEvents {
  bool dragged = false;  // moved while a button was down
  bool button_changed = false;
  bool wheel_turned = false;
  bool key_changed = false;
};

void ImGuiInput::add(const std::vector<render::InputEvent>& events) {
  events_.insert(events_.end(), events.begin(), events.end());
}

void ImGuiInput::apply(ImGuiIO& io, const RunShortcut& run_shortcut) {
  FrameEvents frame;
  while (!events_.empty() && !belongs_to_next_frame(events_.front(), frame)) {
    const render::InputEvent event = events_.front();
    events_.pop_front();
    if (const auto* move = std::get_if<render::MouseMove>(&event)) {
      imgui_events::mouse_position(io, move->x, move->y);
      frame.dragged = frame.dragged || mouse_is_down();
    } else if (const auto* button = std::get_if<render::MouseButton>(&event)) {
      apply_button(*button, io);
      frame.button_changed = true;
    } else if (const auto* wheel = std::get_if<render::MouseWheel>(&event)) {
      imgui_events::mouse_wheel(io, wheel->x, wheel->y);
      frame.wheel_turned = true;
    } else if (const auto* key = std::get_if<render::Key>(&event)) {
      apply_key(*key, io, run_shortcut);
      frame.key_changed = true;
    } else if (const auto* character = std::get_if<render::Character>(&event)) {
      io.AddInputCharacter(character->code_point);
    }
  }
}

// Whether `event` would hide, or be confused with, what the frame already holds.
bool ImGuiInput::belongs_to_next_frame(const render::InputEvent& event,
                                       const FrameEvents& frame) const {
  // A drag that ends within a frame has to be seen before it ends.
  if (std::holds_alternative<render::MouseButton>(event) && frame.dragged) return true;
  if (std::holds_alternative<render::MouseMove>(event) ||
      std::holds_alternative<render::MouseButton>(event)) {
    return frame.button_changed || frame.wheel_turned;
  }
  if (std::holds_alternative<render::MouseWheel>(event)) return frame.button_changed;
  if (std::holds_alternative<render::Key>(event)) return frame.key_changed;
  return false;
}

void ImGuiInput::apply_button(const render::MouseButton& button, ImGuiIO& io) {
  if (button.button < 0 || static_cast<std::size_t>(button.button) >= buttons_down_.size()) return;
  buttons_down_[static_cast<std::size_t>(button.button)] = button.down;
  imgui_events::mouse_button(io, button.button, button.down);
}

void ImGuiInput::apply_key(const render::Key& key, ImGuiIO& io, const RunShortcut& run_shortcut) {
  if (key.key < 0 || static_cast<std::size_t>(key.key) >= keys_down_.size()) return;
  const auto code = static_cast<std::size_t>(key.key);
  const bool pressed = key.down && !keys_down_[code];
  keys_down_[code] = key.down;
  const imgui_events::Modifiers modifiers{is_down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL),
                                          is_down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT),
                                          is_down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT),
                                          is_down(GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER)};
  const Chord chord{key.key, modifiers.ctrl, modifiers.shift, modifiers.alt};
  const bool is_typed = io.WantTextInput && chord.is_typing();
  const int position = key.position == 0 ? key.key : key.position;
  if (pressed && !is_typed && run_shortcut({chord, position})) return;
  imgui_events::key(io, key.key, key.down, modifiers);
}

}  // namespace dlview::app
