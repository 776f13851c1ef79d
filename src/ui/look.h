// Look: palette, faces and scale together, and the frame that carries them through the widgets.
#pragma once

#include <cmath>

#include "ui/fonts.h"
#include "ui/inspector.h"
#include "ui/model.h"
#include "ui/theme.h"

namespace dlview::ui {

struct Look {
  Palette palette = ui::palette(ThemeKind::dark);
  Fonts fonts;
  float scale = 0;  // 0 = no fonts baked yet

  // A length of the design in whole framebuffer pixels; never 0 for a length above 0.
  float px(float length) const {
    return length > 0 ? std::fmax(1.0f, std::round(length * scale)) : std::round(length * scale);
  }
};

// Dear ImGui's own style (frames, popups, tooltips, scroll bars) in the look's colours.
void apply_style(const Look& look);

// What every widget and view needs while one frame is built.
struct Frame {
  const Look& look;
  const Model& model;
  Host& host;
  Inspector& inspector;

  const Palette& palette() const { return look.palette; }
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
