#include "ui/widgets/focus.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <utility>

namespace dlview::ui {
namespace {

using Control = KeyboardFocus::Control;
using Direction = KeyboardFocus::Direction;

constexpr float kRingWidth = 2, kRingGap = 1;
// A control as far aside as the nearest one is away counts as three times as far.
constexpr float kAside = 3;

bool has_middle_of(const Box& box, const Box& other) {
  const float middle = (other.top + other.bottom) / 2;
  return middle >= box.top && middle < box.bottom;
}

bool are_beside(const Control& a, const Control& b) {
  return has_middle_of(a.box, b.box) && has_middle_of(b.box, a.box);
}

// Pixels between two stretches of an axis; 0 = they overlap.
float gap_between(float first_a, float last_a, float first_b, float last_b) {
  return std::max({0.0f, first_b - last_a, first_a - last_b});
}

// How far `to` is from `from` in that direction; nullopt = it does not lie there.
std::optional<float> distance(const Box& from, const Box& to, Direction direction) {
  const bool is_across = direction == Direction::left || direction == Direction::right;
  const float aside = is_across ? gap_between(from.top, from.bottom, to.top, to.bottom)
                                : gap_between(from.left, from.right, to.left, to.right);
  float ahead = 0;
  switch (direction) {
    case Direction::left:
      ahead = from.left - to.right;
      break;
    case Direction::right:
      ahead = to.left - from.right;
      break;
    case Direction::up:
      ahead = from.top - to.bottom;
      break;
    case Direction::down:
      ahead = to.top - from.bottom;
      break;
  }
  if (ahead < -1) return std::nullopt;  // neighbors may share an edge
  // Of controls straight ahead the one whose middle is nearest.
  const float across = is_across ? (to.top + to.bottom) - (from.top + from.bottom)
                                 : (to.left + to.right) - (from.left + from.right);
  return std::max(0.0f, ahead) + kAside * aside + std::abs(across) / 1000;
}

std::optional<Direction> pressed_direction() {
  constexpr std::array<std::pair<ImGuiKey, Direction>, 4> kArrows{
      {{ImGuiKey_LeftArrow, Direction::left},
       {ImGuiKey_RightArrow, Direction::right},
       {ImGuiKey_UpArrow, Direction::up},
       {ImGuiKey_DownArrow, Direction::down}}};
  const auto found =
      std::ranges::find_if(kArrows, [](const auto& arrow) { return pressed(arrow.first); });
  return found == kArrows.end() ? std::nullopt : std::optional(found->second);
}

bool was_mouse_clicked() {
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left) ||
         ImGui::IsMouseClicked(ImGuiMouseButton_Right);
}

// Scrolls the current window so that the box is inside.
void reveal(const Box& box) {
  if (!window_scrolls()) return;
  const float top = ImGui::GetWindowPos().y;
  if (box.top >= top && box.bottom <= top + ImGui::GetWindowHeight()) return;
  ImGui::SetScrollFromPosY(box.top - top, 0.3f);
}

// Can be seen, or scrolled to.
bool can_be_reached(const Box& box) {
  return window_scrolls() || ImGui::IsRectVisible({box.left, box.top}, {box.right, box.bottom});
}

}  // namespace

void sort_by_reading(std::vector<Control>& controls) {
  for (auto first = controls.begin(); first != controls.end();) {
    auto last = first + 1;
    while (last != controls.end() && are_beside(*(last - 1), *last)) ++last;
    std::stable_sort(first, last,
                     [](const Control& a, const Control& b) { return a.box.left < b.box.left; });
    first = last;
  }
}

std::optional<std::size_t> nearest_control(const std::vector<Control>& controls, std::size_t from,
                                           Direction direction) {
  std::optional<std::size_t> nearest;
  float least = FLT_MAX;
  for (std::size_t i = 0; i < controls.size(); ++i) {
    if (i == from) continue;
    const auto away = distance(controls[from].box, controls[i].box, direction);
    if (!away || *away >= least) continue;
    least = *away;
    nearest = i;
  }
  return nearest;
}

std::optional<std::size_t> KeyboardFocus::current() const {
  const auto found = std::ranges::find(controls_, place().id, &Control::id);
  if (place().id == 0 || found == controls_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - controls_.begin());
}

void KeyboardFocus::go_to(std::size_t index) {
  place() = {controls_[index].id, index, true};
  kind_ = controls_[index].kind;
  arrives_ = true;
  is_drawn_ = true;  // by the next frame
}

void KeyboardFocus::step(int by) {
  if (controls_.empty()) return;
  sort_by_reading(controls_);
  const auto count = static_cast<std::ptrdiff_t>(controls_.size());
  std::ptrdiff_t next = by > 0 ? 0 : count - 1;
  if (const auto at = current()) {
    next = (static_cast<std::ptrdiff_t>(*at) + by + count) % count;
  } else if (place().id != 0) {
    // It is gone: what has its place is next.
    const auto before = static_cast<std::ptrdiff_t>(place().index);
    next = std::clamp<std::ptrdiff_t>(by > 0 ? before : before - 1, 0, count - 1);
  }
  go_to(static_cast<std::size_t>(next));
}

void KeyboardFocus::move(Direction direction) {
  const auto at = current();
  if (!at) return;
  if (const auto next = nearest_control(controls_, *at, direction)) go_to(*next);
}

bool KeyboardFocus::takes_menu(const Box& box) {
  const float x = (ring_.left + ring_.right) / 2, y = (ring_.top + ring_.bottom) / 2;
  if (!wants_menu_ || !is_window_focused_alone()) return false;
  if (x < box.left || x > box.right || y < box.top || y > box.bottom) return false;
  wants_menu_ = false;
  return true;
}

void KeyboardFocus::begin_frame(bool is_above) {
  if (is_above && !is_above_) above_ = {};
  const bool is_other_place = std::exchange(is_above_, is_above) != is_above;
  if (is_other_place) arrives_ = false;
  if (was_mouse_clicked()) hide();
  if (!is_other_place && takes_keys() && kind_ == Kind::button && !ImGui::IsAnyItemActive()) {
    if (const auto direction = pressed_direction()) move(*direction);
  }
  // A number field takes what was typed when it loses the keyboard within a frame.
  if (arrives_) clear_active_item();
  controls_.clear();
  is_drawn_now_ = false;
  keeps_escape_now_ = false;
}

KeyboardFocus::State KeyboardFocus::add(Frame& frame, std::string_view name,
                                        const Control& control) {
  if (!is_window_focused_alone() || !can_be_reached(control.box)) return {};
  controls_.push_back(control);
  if (control.id != place().id || !place().ring) return {};
  place().index = controls_.size() - 1;
  is_drawn_now_ = true;
  kind_ = control.kind;
  ring_ = control.box;
  const ImDrawList& list = *ImGui::GetWindowDrawList();
  clip_ = {list.GetClipRectMin().x, list.GetClipRectMin().y, list.GetClipRectMax().x,
           list.GetClipRectMax().y};
  frame.inspector.record_value("focus", name);
  State state{.has_ring = true, .arrived = std::exchange(arrives_, false)};
  if (state.arrived) {
    reveal(control.box);
  } else {
    const bool enters = is_key_pressed(ImGuiKey_Enter, false);
    state.pressed = control.kind == Kind::button && !ImGui::IsAnyItemActive() &&
                    (enters || is_key_pressed(ImGuiKey_Space, false));
    // A field that Escape has left.
    state.arrived = control.kind == Kind::field && enters && !ImGui::IsAnyItemActive();
  }
  return state;
}

void KeyboardFocus::take(ImGuiID id) {
  if (place().id == id) return;
  place() = {id, controls_.empty() ? 0 : controls_.size() - 1, false};
}

void KeyboardFocus::end_frame(Frame& frame) {
  is_drawn_ = is_drawn_now_;
  keeps_escape_ = keeps_escape_now_;
  arrives_ = false;
  wants_menu_ = false;
  if (!is_visible()) return;
  const float width = frame.px(kRingWidth);
  const float out = frame.px(kRingGap) + width / 2;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const float room = out + width;
  list.PushClipRect({clip_.left - room, clip_.top - room},
                    {clip_.right + room, clip_.bottom + room});
  list.AddRect({ring_.left - out, ring_.top - out}, {ring_.right + out, ring_.bottom + out},
               frame.palette().accent, frame.px(6), 0, width);
  list.PopClipRect();
}

ImGuiID begin_field(Frame& frame, std::string_view name, const Box& box) {
  const ImGuiID id = ImGui::GetID(name.data(), name.data() + name.size());
  if (frame.focus == nullptr) return id;
  if (frame.focus->add(frame, name, {id, box, KeyboardFocus::Kind::field}).arrived) {
    focus_next_item();
  }
  return id;
}

void take_field(Frame& frame, ImGuiID id, const Box& box) {
  outline(box, frame.palette().accent, frame.px(5));
  if (frame.focus != nullptr) frame.focus->take(id);
}

bool keyboard_is_free(const Frame& frame) {
  return !ImGui::IsAnyItemActive() && (frame.focus == nullptr || !frame.focus->is_visible());
}

}  // namespace dlview::ui
