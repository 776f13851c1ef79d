// Look: palette, faces and scale together, and the frame that carries them through the widgets.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "ui/fonts.h"
#include "ui/model.h"
#include "ui/theme.h"

namespace dlview::ui {

// Framebuffer pixels, origin at the top left.
struct ItemRect {
  float left = 0, top = 0, right = 0, bottom = 0;
  bool operator==(const ItemRect&) const = default;
};

// What the last frame showed, under stable names, for UI tests: values as they read on screen, and
// the rectangles of what can be clicked or dragged. Names look like paths: "nav/iterations",
// "dashboard/wall_time", "iterations/bound_start".
class Inspector {
 public:
  void begin_frame();
  // A name recorded twice in one frame keeps its last value.
  void record_value(std::string_view name, std::string_view text);
  void record_item(std::string_view name, const ItemRect& rect);

  const std::map<std::string, std::string, std::less<>>& values() const { return values_; }
  const std::map<std::string, ItemRect, std::less<>>& items() const { return items_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, ItemRect, std::less<>> items_;
};

// Palette, faces and scale together, and the frame that carries them through the widgets.
struct Look {
  const Palette* colors = &palette(ThemeKind::dark);  // one of palette()
  Fonts fonts;
  float scale = 0;  // 0 = no fonts baked yet

  // A length of the design in whole framebuffer pixels; never 0 for a length above 0.
  float px(float length) const {
    return length > 0 ? std::fmax(1.0f, std::round(length * scale)) : std::round(length * scale);
  }
};

// Dear ImGui's own style (frames, popups, tooltips, scroll bars) in the look's colors.
void apply_style(const Look& look);

class KeyboardFocus;  // ui/widgets/focus.h

// What every widget and view needs while one frame is built.
struct Frame {
  const Look& look;
  const Model& model;
  Host& host;
  Inspector& inspector;
  KeyboardFocus* focus = nullptr;  // null = controls are reached by the mouse only

  const Palette& palette() const { return *look.colors; }
  const Fonts& fonts() const { return look.fonts; }
  float px(float length) const { return look.px(length); }
};

// A place for a widget: it may use `width` pixels and as much height as it needs.
struct Area {
  float left = 0, top = 0, width = 0;
  float right() const { return left + width; }
  Area below(float new_top) const { return {left, new_top, width}; }
};

}  // namespace dlview::ui
