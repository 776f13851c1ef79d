// Hands window events to Dear ImGui, a frame's worth at a time: a press and its release, or a press
// and the move after it, go into different frames, so that no click is lost however fast it was.
#pragma once

#include <bitset>
#include <deque>
#include <functional>
#include <vector>

#include "app/chord.h"
#include "render/input_event.h"

struct ImGuiIO;

namespace dlview::app {

class ImGuiInput {
 public:
  void add(const std::vector<render::InputEvent>& events);
  bool empty() const { return events_.empty(); }
  bool mouse_is_down() const { return buttons_down_.any(); }
  bool is_down(int key) const { return keys_down_[static_cast<std::size_t>(key)]; }

  // Applies what belongs into the next frame. A key that is pressed goes to `run_shortcut` first,
  // which says whether it took it; typing into a text field does not.
  using RunShortcut = std::function<bool(const KeyPress&)>;
  void apply(ImGuiIO& io, const RunShortcut& run_shortcut);

 private:
  struct FrameEvents;

  bool belongs_to_next_frame(const render::InputEvent& event, const FrameEvents& frame) const;
  void apply_button(const render::MouseButton& button, ImGuiIO& io);
  void apply_key(const render::Key& key, ImGuiIO& io, const RunShortcut& run_shortcut);
  bool is_down(int left_key, int right_key) const {
    return is_down(left_key) || is_down(right_key);
  }

  std::deque<render::InputEvent> events_;
  std::bitset<512> keys_down_;
  std::bitset<8> buttons_down_;
};

}  // namespace dlview::app
