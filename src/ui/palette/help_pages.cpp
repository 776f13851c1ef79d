#include "ui/palette/help_pages.h"

#include <array>
#include <string>

#include "ui/data_quality.h"
#include "ui/palette/card.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/scroll_area.h"

namespace dlview::ui {
namespace {

struct Gesture {
  std::string_view hand, effect;
};
constexpr std::array<Gesture, 9> kGestures{{
    {"drag a bound", "changes the range; everything follows in the same frame"},
    {"drag between the bounds", "moves the range as it is"},
    {"wheel over the chart or the strip", "zooms at the cursor"},
    {"Ctrl + wheel over the chart", "scales its heights"},
    {"wheel over Start or Stop", "one iteration up or down; with Shift ten"},
    {"double-click the chart", "shows all iterations"},
    {"click a legend entry", "hides or shows that part"},
    {"hover a figure", "its definition, and where it comes from"},
    {"drop a file onto the window", "opens it"},
}};

// The scrolling part of a card, below its heading; `draw` fills the area and returns its bottom.
template <typename Draw>
void draw_page(Frame& frame, std::string_view title, float width, float height, const Draw& draw) {
  OverlayCard card(frame, width, height);
  const Area below = card.draw_heading(title);
  ScrollArea scroll(frame, "page",
                    {card.box().left + frame.px(4), below.top - frame.px(kGap), card.box().right,
                     card.box().bottom - frame.px(6)});
  scroll.end_at(draw(scroll.area()));
}

float draw_pair(Frame& frame, const Area& area, float column, std::string_view left,
                std::string_view right, std::string_view help) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  draw_text(fonts.text, area.left, area.top, colours.accent, left);
  const Area text{area.left + column, area.top, area.width - column};
  float y = area.top;
  if (!right.empty()) {
    draw_text(fonts.text, text.left, y, colours.text, right);
    y += line_height(fonts.text) + frame.px(1);
  }
  const float bottom =
      draw_wrapped(fonts.text, text.below(y), right.empty() ? colours.text : colours.dim, help);
  return bottom + frame.px(8);
}

float draw_keys(Frame& frame, const Area& area) {
  const Fonts& fonts = frame.fonts();
  float y = area.top;
  for (const CommandInfo& command : frame.model.commands) {
    if (command.shortcut.empty()) continue;
    y = draw_pair(frame, area.below(y), frame.px(120), command.shortcut, command.title,
                  command.help);
  }
  y += frame.px(6);
  draw_text(fonts.strong, area.left, y, frame.palette().text, "With the mouse");
  y += line_height(fonts.strong) + frame.px(10);
  for (const Gesture& gesture : kGestures) {
    y = draw_pair(frame, area.below(y), frame.px(220), gesture.hand, "", gesture.effect);
  }
  return y;
}

}  // namespace

void draw_keys_page(Frame& frame) {
  draw_page(frame, "Keys and gestures", 620, 640,
            [&frame](const Area& area) { return draw_keys(frame, area); });
}

void draw_about_page(Frame& frame) {
  const Model& model = frame.model;
  frame.inspector.record_value("about/version", model.version);
  draw_page(frame, "dlview " + model.version, 640, 560, [&frame, &model](const Area& area) {
    const Fonts& fonts = frame.fonts();
    const Palette& colours = frame.palette();
    float y = draw_wrapped(fonts.text, area, colours.text,
                           "A viewer for profiles of deep-learning runs. MIT licence.");
    y = draw_wrapped(fonts.text, area.below(y + frame.px(4)), colours.dim,
                     "The licences of what the program contains:");
    return draw_wrapped(fonts.mono, area.below(y + frame.px(10)), colours.dim, model.licenses);
  });
}

void draw_data_quality_page(Frame& frame) {
  if (!frame.model.profile) return;
  draw_page(frame, "What the file does not tell", 620, 420,
            [&frame](const Area& area) { return draw_quality_list(frame, area); });
}

}  // namespace dlview::ui
