#include "ui/widgets/figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kSmallestCard = 184;
constexpr float kThreeColumnsFrom = 370;  // compact figures

float card_height(const Frame& frame) {
  const Fonts& fonts = frame.fonts();
  return 2 * frame.px(12) + 2 * line_height(fonts.small) + line_height(fonts.figure) + frame.px(2);
}

void draw_card(Frame& frame, std::string_view name, const Box& card, const KeyFigure& figure) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const std::string path = fmt::format("{}/{}", name, figure.id);
  fill(card, colours.panel, frame.px(kRounding));
  outline(card, colours.line, frame.px(kRounding));
  const float left = card.left + frame.px(kPadding);
  const float width = card.right - frame.px(kPadding) - left;
  float y = card.top + frame.px(12);
  draw_text(fonts.small, left, y, colours.dim, figure.label);
  y += line_height(fonts.small);
  draw_text(fonts.figure, left, y, colours.text, figure.value);
  const float behind = left + text_width(fonts.figure, figure.value) + frame.px(6);
  // On the base line of the large figure.
  const float base = y + fonts.figure->Ascent - fonts.strong->Ascent;
  draw_text(fonts.strong, behind, base, colours.dim, figure.suffix);
  y += line_height(fonts.figure) + frame.px(2);
  draw_text_cut(frame, fonts.small, left, y, width, colours.dim, figure.note, CutAt::middle);
  const bool note_hovered = hovered({left, y, left + width, card.bottom});
  if (!note_hovered && hovered(card)) show_metric_tooltip(frame, figure.metric);
  frame.inspector.record_item(path, item_rect(card));
  frame.inspector.record_value(path, figure.suffix.empty()
                                         ? figure.value
                                         : fmt::format("{} {}", figure.value, figure.suffix));
  frame.inspector.record_value(path + "/note", figure.note);
}

}  // namespace

float draw_key_figures(Frame& frame, std::string_view name, const Area& area,
                       const std::vector<KeyFigure>& figures) {
  const float gap = frame.px(kGap);
  const auto count = static_cast<int>(figures.size());
  int columns =
      std::clamp(static_cast<int>((area.width + gap) / (frame.px(kSmallestCard) + gap)), 1, count);
  while (columns > 1 && count % columns != 0) --columns;
  const float step = (area.width + gap) / static_cast<float>(columns);
  const float height = card_height(frame);
  float top = area.top;
  for (int i = 0; i < count; ++i) {
    const int column = i % columns;
    if (i > 0 && column == 0) top += height + gap;
    const float left = std::round(area.left + static_cast<float>(column) * step);
    const float right = std::round(area.left + static_cast<float>(column + 1) * step - gap);
    draw_card(frame, name, {left, top, right, top + height}, figures[static_cast<std::size_t>(i)]);
  }
  return top + height;
}

float draw_compact_figures(Frame& frame, std::string_view name, const Area& area,
                           const std::vector<KeyFigure>& figures) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const std::size_t columns = area.width < frame.px(kThreeColumnsFrom) ? 2 : 3;
  const float step = std::floor(area.width / static_cast<float>(columns));
  const float height = line_height(fonts.small) + line_height(fonts.strong) + frame.px(1);
  float top = area.top;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const KeyFigure& figure = figures[i];
    const auto column = static_cast<float>(i % columns);
    if (i > 0 && i % columns == 0) top += height + frame.px(9);
    const Box box{area.left + column * step, top, area.left + (column + 1) * step - frame.px(8),
                  top + height};
    draw_text_cut(frame, fonts.small, box.left, box.top, box.width(), colours.dim, figure.label,
                  CutAt::middle);
    const std::string value =
        figure.suffix.empty() ? figure.value : fmt::format("{} {}", figure.value, figure.suffix);
    draw_text(fonts.strong, box.left, box.top + line_height(fonts.small) + frame.px(1),
              colours.text, value);
    if (hovered(box)) show_metric_tooltip(frame, figure.metric, value);
    frame.inspector.record_value(fmt::format("{}/{}", name, figure.id), value);
  }
  return top + height;
}

float draw_key_values(Frame& frame, std::string_view name, const Area& area,
                      const std::vector<KeyValue>& values) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  float label_width = 0;
  for (const KeyValue& entry : values) {
    label_width = std::max(label_width, text_width(fonts.small, entry.label));
  }
  const float value_left = area.left + label_width + frame.px(18);
  const float height = line_height(fonts.small) + frame.px(6);
  float y = area.top;
  for (const KeyValue& entry : values) {
    const float top = y + frame.px(3);
    draw_text(fonts.small, area.left, top, colours.dim, entry.label);
    const bool known = !entry.value.empty();
    draw_text_cut(frame, fonts.small, value_left, top, area.right() - value_left,
                  known ? colours.text : colours.dim, known ? entry.value : "not recorded",
                  CutAt::middle);
    frame.inspector.record_value(fmt::format("{}/{}", name, entry.id),
                                 known ? entry.value : "not recorded");
    y += height;
    if (&entry != &values.back()) {
      horizontal_line(area.left, area.right(), y, mix(colours.panel, colours.line, 0.6f));
    }
  }
  return y;
}

}  // namespace dlview::ui
