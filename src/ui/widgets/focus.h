// KeyboardFocus: which control has the keyboard, for people without a mouse. Controls register
// while they are drawn: hit_area() and fields do, so a view needs no code of its own.
//
// - Tab and Shift+Tab go through the controls of the window, or of the overlay or popup above it:
//   lines in the order of drawing, each from left to right.
// - Arrow keys go to the nearest control in their direction. In a field, a menu, a table and a
//   chart they do what they do there.
// - Enter and Space press the control. In a field, a table and a chart they do what they do there.
// - Shift+F10 opens the menu that a right click opens.
// - Escape hides the ring, after it has closed what lies above the view, and after a chart has gone
//   back. A mouse click hides it, too; Tab then goes on from what was clicked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

class KeyboardFocus {
 public:
  enum class Kind : uint8_t { button, field, list, chart };
  enum class Direction : uint8_t { left, right, up, down };
  struct Control {
    ImGuiID id = 0;
    Box box;
    Kind kind = Kind::button;
  };
  struct State {
    bool has_ring = false;
    bool arrived = false;  // the keyboard has just come to it
    bool pressed = false;  // Enter or Space; of a button only
  };

  // Go to another of the controls that the last frame drew.
  void step(int by);
  void move(Direction direction);
  void hide() { place().ring = false; }
  // Opens the context menu of the control, in the next frame.
  void request_menu() { wants_menu_ = is_visible(); }
  // Whether the requested menu is that of the box: the control lies in it. True once.
  bool takes_menu(const Box& box);
  // A control was drawn with the ring, by the last frame.
  bool is_visible() const { return place().ring && is_drawn_; }
  // The same, and the control uses arrows and Enter itself: tables and commands must not.
  bool takes_keys() const { return is_visible() && kind_ != Kind::list; }

  // The chart with the ring goes back with the next Escape. In each frame in which it does.
  void keep_escape() { keeps_escape_now_ = true; }
  bool keeps_escape() const { return is_visible() && keeps_escape_; }

  // Begins a frame: takes arrow keys and mouse clicks. `is_above` = an overlay or a popup is open.
  void begin_frame(bool is_above);
  // Registers a control of the current window that has the id.
  State add(Frame& frame, std::string_view name, const Control& control);
  // The mouse is on it, or it is a field that is being typed into.
  void take(ImGuiID id);
  // Draws the ring above everything else.
  void end_frame(Frame& frame);

 private:
  struct Place {
    ImGuiID id = 0;         // 0 = none
    std::size_t index = 0;  // among the controls, for when the control is gone
    bool ring = false;
  };
  Place& place() { return is_above_ ? above_ : base_; }
  const Place& place() const { return is_above_ ? above_ : base_; }
  void go_to(std::size_t index);
  std::optional<std::size_t> current() const;

  std::vector<Control> controls_;  // of the last frame, in the order of drawing
  Place base_, above_;
  bool is_above_ = false;
  bool arrives_ = false, wants_menu_ = false;
  bool is_drawn_ = false, is_drawn_now_ = false;  // the control with the ring: in the last frame
  bool keeps_escape_ = false, keeps_escape_now_ = false;  // as told by the last frame
  Kind kind_ = Kind::button;
  std::string name_;
  Box ring_, clip_;
};

// The controls in the order in which Tab goes through them: those of a line, each of whose boxes
// has the middle of its neighbor beside it, from left to right. Pure.
void sort_by_reading(std::vector<KeyboardFocus::Control>& controls);

// The nearest control in that direction from `from`; nullopt = none. One beside it counts as nearer
// than one that is also above or below. Pure.
std::optional<std::size_t> nearest_control(const std::vector<KeyboardFocus::Control>& controls,
                                           std::size_t from, KeyboardFocus::Direction direction);

// Registers a field, before its input box is drawn, and gives it the keyboard when that arrives.
// Returns the id for take_field().
ImGuiID begin_field(Frame& frame, std::string_view name, const Box& box);
// After the input box, when it is being typed into.
void take_field(Frame& frame, ImGuiID id, const Box& box);

// Whether a search field of an overlay should take the keyboard: nothing else has it.
bool keyboard_is_free(const Frame& frame);

}  // namespace dlview::ui
