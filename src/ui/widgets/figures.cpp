#include "ui/widgets/figures.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "ui/widgets/menu.h"
#include "ui/widgets/number.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kSmallestCard = 184;
constexpr float kCompactWidth = 150;
constexpr float kTwoListsFrom = 560;  // key values

float card_height(const Frame& frame) {
  const Fonts& fonts = frame.fonts();
  return 2 * frame.px(10) + 2 * line_height(fonts.small) + line_height(fonts.figure) + frame.px(2);
}

Number number_of(const KeyFigure& figure) {
  Number number{figure.label, figure.full, figure.metric};
  number.hint = figure.hint;
  return number;
}

void draw_card(Frame& frame, std::string_view name, const Box& card, const KeyFigure& figure) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string path = fmt::format("{}/{}", name, figure.id);
  fill(card, colors.panel, frame.px(kRounding));
  outline(card, colors.line, frame.px(kRounding));
  const float left = card.left + frame.px(kPadding);
  const float width = card.right - frame.px(kPadding) - left;
  float y = card.top + frame.px(10);
  draw_text(fonts.small, left, y, colors.dim, figure.label);
  y += line_height(fonts.small);
  draw_text(fonts.figure, left, y, colors.text, figure.value);
  const float behind = left + text_width(fonts.figure, figure.value) + frame.px(6);
  // On the base line of the large figure.
  const float base = y + font_ascent(fonts.figure) - font_ascent(fonts.strong);
  draw_text(fonts.strong, behind, base, colors.dim, figure.suffix);
  y += line_height(fonts.figure) + frame.px(2);
  draw_text_cut(frame, fonts.small, left, y, width, colors.dim, figure.note, CutAt::middle);
  const bool note_hovered = hovered({left, y, left + width, card.bottom});
  const Number number = number_of(figure);
  if (!note_hovered && hovered(card)) show_number_tooltip(frame, number);
  number_menu(frame, path, card, number);
  frame.inspector.record_item(path, item_rect(card));
  frame.inspector.record_value(path, figure.suffix.empty()
                                         ? figure.value
                                         : fmt::format("{} {}", figure.value, figure.suffix));
  frame.inspector.record_value(path + "/note", figure.note);
}

std::string_view reading(const KeyValue& entry) {
  return entry.value.empty() ? std::string_view("not recorded") : entry.value;
}

// Of the labels, with the space behind them.
float labels_width(const Frame& frame, std::span<const KeyValue> values) {
  float width = 0;
  for (const KeyValue& entry : values) {
    width = std::max(width, text_width(frame.fonts().small, entry.label));
  }
  return width + frame.px(14);
}

// That a list needs to cut no value.
float list_width(const Frame& frame, std::span<const KeyValue> values) {
  float width = 0;
  for (const KeyValue& entry : values) {
    width = std::max(width, text_width(frame.fonts().small, reading(entry)));
  }
  return labels_width(frame, values) + width;
}

float draw_list(Frame& frame, const Area& area, std::span<const KeyValue> values) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const float value_left = area.left + labels_width(frame, values);
  const float height = line_height(fonts.small) + frame.px(4);
  float y = area.top;
  for (const KeyValue& entry : values) {
    const float top = y + frame.px(2);
    draw_text(fonts.small, area.left, top, colors.dim, entry.label);
    draw_text_cut(frame, fonts.small, value_left, top, area.right() - value_left,
                  entry.value.empty() ? colors.dim : colors.text, reading(entry), CutAt::middle);
    y += height;
    if (&entry != &values.back()) {
      horizontal_line(area.left, area.right(), y, mix(colors.panel, colors.line, 0.6f));
    }
  }
  return y;
}

constexpr std::size_t kFewLines = 6;

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
  const Palette& colors = frame.palette();
  const auto fitting = static_cast<std::size_t>(area.width / frame.px(kCompactWidth));
  const std::size_t columns =
      std::clamp<std::size_t>(fitting, 1, std::max<std::size_t>(1, figures.size()));
  const float step = std::floor(area.width / static_cast<float>(columns));
  const float height = line_height(fonts.small) + line_height(fonts.strong) + frame.px(1);
  float top = area.top;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const KeyFigure& figure = figures[i];
    const auto column = static_cast<float>(i % columns);
    if (i > 0 && i % columns == 0) top += height + frame.px(9);
    const Box box{area.left + column * step, top, area.left + (column + 1) * step - frame.px(8),
                  top + height};
    draw_text_cut(frame, fonts.small, box.left, box.top, box.width(), colors.dim, figure.label,
                  CutAt::middle);
    const std::string value =
        figure.suffix.empty() ? figure.value : fmt::format("{} {}", figure.value, figure.suffix);
    draw_text(fonts.strong, box.left, box.top + line_height(fonts.small) + frame.px(1), colors.text,
              value);
    explain_number(frame, fmt::format("{}/{}", name, figure.id), box, number_of(figure));
    frame.inspector.record_value(fmt::format("{}/{}", name, figure.id), value);
  }
  return top + height;
}

void leave_out_unrecorded(std::vector<KeyValue>& values) {
  std::erase_if(values, [](const KeyValue& value) { return value.value.empty(); });
}

float draw_key_values(Frame& frame, std::string_view name, const Area& area,
                      const std::vector<KeyValue>& values) {
  for (const KeyValue& entry : values) {
    frame.inspector.record_value(fmt::format("{}/{}", name, entry.id), reading(entry));
  }
  const std::span<const KeyValue> all = values;
  const std::size_t half = (all.size() + 1) / 2;
  const float gap = frame.px(24);
  const float width = std::floor((area.width - gap) / 2);
  const bool fits_twice =
      list_width(frame, all.first(half)) <= width && list_width(frame, all.subspan(half)) <= width;
  if (area.width < frame.px(kTwoListsFrom) || !fits_twice) return draw_list(frame, area, all);
  const float left_bottom = draw_list(frame, {area.left, area.top, width}, all.first(half));
  const Area right{area.right() - width, area.top, width};
  return std::max(left_bottom, draw_list(frame, right, all.subspan(half)));
}

float draw_text_block(Frame& frame, std::string_view name, const Area& area, std::string_view title,
                      std::string_view text, bool& whole) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string path = fmt::format("{}/{}", name, title);
  float y = area.top;
  draw_text(fonts.strong, area.left, y, colors.text, title);
  y += line_height(fonts.strong) + frame.px(6);
  const auto measure = [font = fonts.mono](std::string_view part) {
    return text_width(font, part);
  };
  const std::vector<std::string> lines = wrap_lines(text, area.width, measure);
  const std::size_t shown = whole ? lines.size() : std::min(lines.size(), kFewLines);
  for (std::size_t i = 0; i < shown; ++i) {
    draw_text(fonts.mono, area.left, y, colors.dim, lines[i]);
    y += line_height(fonts.mono) + frame.px(2);
  }
  const Box block{area.left, area.top, area.right(), y};
  if (CopyMenu menu(frame, path, block); menu.is_open()) {
    menu.item("text", "Copy text", [&] { return std::string(text); });
  }
  frame.inspector.record_value(path, text);
  if (lines.size() <= kFewLines) return y;
  const std::string_view label = whole ? "See less" : "See more";
  const Box link{area.left, y, area.left + text_width(fonts.small, label),
                 y + line_height(fonts.small)};
  const Hit hit = hit_area(frame, fmt::format("{}/more/{}", name, title), link);
  draw_text(fonts.small, link.left, link.top, colors.accent, label);
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hit.clicked) whole = !whole;
  return link.bottom;
}

}  // namespace dlview::ui
