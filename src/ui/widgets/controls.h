// Small controls, placed by hand: buttons, segmented buttons, text and number fields. All
// are kControlHeight high and return the width they took or the change they made.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kControlHeight = 26;

// Widths, to lay out from the right.
float button_width(const Frame& frame, std::string_view label);

enum class ButtonKind { plain, accent };
bool draw_button(Frame& frame, std::string_view name, float left, float top, std::string_view label,
                 ButtonKind kind = ButtonKind::plain, bool enabled = true);

// The same with a small triangle, for a button that opens a menu.
float menu_button_width(const Frame& frame, std::string_view label);
bool draw_menu_button(Frame& frame, std::string_view name, float left, float top,
                      std::string_view label, bool is_open);

struct Segment {
  std::string_view id, label;
  bool enabled = true;
};
float segments_width(const Frame& frame, std::span<const Segment> segments);
// Returns the segment that was clicked.
std::optional<std::size_t> draw_segments(Frame& frame, std::string_view name, float left, float top,
                                         std::span<const Segment> segments, std::size_t selected);

// What a number field accepts: [low, high], and while typing only [live_low, live_high], for a
// number that is beyond may be the beginning of one that is not.
struct NumberLimits {
  int64_t low = 0, high = 0;
  int64_t live_low = 0, live_high = 0;
  bool tenths = false;  // the numbers are: 25 is shown and typed as 2.5; none is negative
};
struct NumberEdit {
  std::optional<int64_t> value;  // changed
  bool clamped = false;          // what was typed lies outside [low, high]
};
// A whole number, or tenths: typed, stepped with the arrows, or by the mouse wheel above it (Shift:
// ten at once), by one. Has groups of thousands while it is not edited; `alarming` gives it a
// border that is seen.
NumberEdit draw_number_field(Frame& frame, std::string_view name, const Box& box, int64_t value,
                             const NumberLimits& limits, bool alarming = false);

// A text field; `text` follows the typing. `reserved_right` pixels at its right end stay free for
// what the caller puts there; `alarming` gives it a border that is seen.
struct TextFieldResult {
  bool entered = false;  // Enter was pressed
  bool active = false;
};
TextFieldResult draw_text_field(Frame& frame, std::string_view name, const Box& box,
                                float reserved_right, std::string& text, std::string_view hint,
                                bool alarming = false);

// The cross that closes a pane, at the right edge of its heading.

// True when it was clicked.
bool draw_close_button(Frame& frame, std::string_view name, const Area& heading);

// Places controls from left to right in lines, wrapping where they do not fit.
class Flow {
 public:
  Flow(const Frame& frame, const Area& area)
      : area_(area),
        line_height_(frame.px(kControlHeight)),
        spacing_(frame.px(8)),
        x_(area.left),
        y_(area.top) {}

  // Makes room for `width` and returns its left edge; top() is its upper edge.
  float place(float width) {
    if (x_ > area_.left && x_ + width > area_.right()) next_line();
    const float left = x_;
    x_ += width + spacing_;
    return left;
  }
  // The same at the right edge of the line; nothing follows it there.
  float place_right(float width) {
    if (x_ > area_.left && x_ + width > area_.right()) next_line();
    x_ = area_.right() + spacing_;
    return area_.right() - width;
  }
  void skip(float width) { x_ += width; }
  float top() const { return y_; }
  float bottom() const { return y_ + line_height_; }

 private:
  void next_line() {
    x_ = area_.left;
    y_ += line_height_ + spacing_;
  }

  Area area_;
  float line_height_, spacing_, x_, y_;
};

}  // namespace dlview::ui
