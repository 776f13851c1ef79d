#include "ui/widgets/controls.h"

#include <algorithm>

#include <fmt/format.h>

namespace dlview::ui {
namespace {

constexpr float kInset = 10;
constexpr float kControlRounding = 5;
constexpr float kTriangle = 13;

Box control_box(const Frame& frame, float left, float top, float width) {
  return {left, top, left + width, top + frame.px(kControlHeight)};
}

void draw_button_surface(const Frame& frame, const Box& box, bool lit) {
  const Palette& colours = frame.palette();
  fill(box, lit ? mix(colours.raised, colours.text, 0.08f) : colours.raised,
       frame.px(kControlRounding));
  outline(box, colours.line, frame.px(kControlRounding));
}

float segment_width(const Frame& frame, std::string_view label) {
  return text_width(frame.fonts().text, label) + 2 * frame.px(kInset);
}

}  // namespace

float button_width(const Frame& frame, std::string_view label) {
  return text_width(frame.fonts().text, label) + 2 * frame.px(kInset);
}

bool draw_button(Frame& frame, std::string_view name, float left, float top, std::string_view label,
                 ButtonKind kind, bool enabled) {
  const Palette& colours = frame.palette();
  const Box box = control_box(frame, left, top, button_width(frame, label));
  const Hit hit = hit_area(frame, name, box);
  draw_button_surface(frame, box, enabled && hit.hovered);
  const Colour text = !enabled                     ? colours.faint
                      : kind == ButtonKind::accent ? colours.accent
                                                   : colours.text;
  draw_text_in(frame.fonts().text, box, text, label, true);
  return enabled && hit.clicked;
}

float menu_button_width(const Frame& frame, std::string_view label) {
  return button_width(frame, label) + frame.px(kTriangle);
}

bool draw_menu_button(Frame& frame, std::string_view name, float left, float top,
                      std::string_view label, bool is_open) {
  const Palette& colours = frame.palette();
  const Box box = control_box(frame, left, top, menu_button_width(frame, label));
  const Hit hit = hit_area(frame, name, box);
  draw_button_surface(frame, box, hit.hovered || is_open);
  const Box text{box.left + frame.px(kInset), box.top, box.right, box.bottom};
  draw_text_in(frame.fonts().text, text, colours.text, label);
  draw_icon(Icon::down, box.right - frame.px(kInset) - frame.px(3), (box.top + box.bottom) / 2,
            frame.px(10), colours.dim);
  return hit.clicked;
}

float segments_width(const Frame& frame, std::span<const Segment> segments) {
  float width = 0;
  for (const Segment& segment : segments) width += segment_width(frame, segment.label);
  return width;
}

std::optional<std::size_t> draw_segments(Frame& frame, std::string_view name, float left, float top,
                                         std::span<const Segment> segments, std::size_t selected) {
  const Palette& colours = frame.palette();
  const float rounding = frame.px(kControlRounding);
  const Box all = control_box(frame, left, top, segments_width(frame, segments));
  fill(all, colours.panel, rounding);
  std::optional<std::size_t> chosen;
  float x = left;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    const Box box = control_box(frame, x, top, segment_width(frame, segment.label));
    const Hit hit = hit_area(frame, fmt::format("{}/{}", name, segment.id), box);
    if (i == selected) fill(box, mix(colours.raised, colours.text, 0.10f), rounding);
    const bool bright = i == selected || (hit.hovered && segment.enabled);
    draw_text_in(frame.fonts().text, box,
                 !segment.enabled ? colours.faint
                 : bright         ? colours.text
                                  : colours.dim,
                 segment.label, true);
    if (hit.clicked && segment.enabled && i != selected) chosen = i;
    x = box.right;
  }
  outline(all, colours.line, rounding);
  return chosen;
}

float badge_width(const Frame& frame, std::string_view label, std::string_view value) {
  return text_width(frame.fonts().small, label) + frame.px(5) +
         text_width(frame.fonts().strong, value) + 2 * frame.px(kInset);
}

void draw_badge(Frame& frame, std::string_view name, float left, float top, std::string_view label,
                std::string_view value) {
  const Palette& colours = frame.palette();
  const Box box = control_box(frame, left, top, badge_width(frame, label, value));
  fill(box, colours.panel, box.height() / 2);
  outline(box, colours.line, box.height() / 2);
  const float x = box.left + frame.px(kInset);
  draw_text_in(frame.fonts().small, {x, box.top, box.right, box.bottom}, colours.dim, label);
  const float behind = x + text_width(frame.fonts().small, label) + frame.px(5);
  draw_text_in(frame.fonts().strong, {behind, box.top, box.right, box.bottom}, colours.text, value);
  frame.inspector.record_value(name, value);
  frame.inspector.record_item(name, item_rect(box));
}

}  // namespace dlview::ui
