#include "ui/widgets/stacked_bar.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

bool is_hidden(HiddenParts hidden, std::size_t part) {
  return ((hidden >> part) & 1u) != 0;
}

std::string reading(const BarPart& part) {
  return part.share.empty() ? part.value : fmt::format("{} {}", part.share, part.value);
}

void show_part_tooltip(Frame& frame, const BarPart& part) {
  if (part.metric.empty()) {
    show_tooltip(frame, fmt::format("{} · {}", part.label, reading(part)));
  } else {
    show_metric_tooltip(frame, part.metric, reading(part));
  }
}

void draw_bar(Frame& frame, const Box& bar, const std::vector<BarPart>& parts, HiddenParts hidden) {
  const float rounding = frame.px(3);
  const ImFont* font = frame.fonts().strong;
  const std::vector<float> edges = part_edges(parts, hidden, bar.width());
  if (edges.back() <= 0) fill(bar, frame.palette().raised, rounding);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const float width = edges[i + 1] - edges[i];
    if (width < 1) continue;
    const Box whole{bar.left + edges[i], bar.top, bar.left + edges[i + 1], bar.bottom};
    Box part = whole;
    if (whole.right < bar.right && width > 3) part.right -= 1;
    const Colour colour = frame.palette().tone(parts[i].tone);
    fill(part, colour, std::min(rounding, part.width() / 2));
    const float inset = frame.px(8);
    if (text_width(font, parts[i].share) + 2 * inset < part.width()) {
      draw_text_in(font, {part.left + inset, part.top, part.right, part.bottom}, text_on(colour),
                   parts[i].share);
    }
    if (hovered(whole)) show_part_tooltip(frame, parts[i]);
  }
}

// Room for any value, so that entries stay where they are while values change.
float entry_width(const Frame& frame, const BarPart& part) {
  const Fonts& fonts = frame.fonts();
  const float value =
      text_width(fonts.strong, base::format_percent(99.9)) + frame.px(5) +
      text_width(fonts.text, part.value.empty() ? "" : base::format_duration(123e6));
  const float text =
      std::max({text_width(fonts.text, part.label), value, text_width(fonts.text, part.value)});
  return frame.px(15) + text + frame.px(16);
}

// In one line, each as wide as it needs and what is left spread evenly; else in equal columns.
std::vector<Box> place_entries(const Frame& frame, const Area& area,
                               const std::vector<BarPart>& parts) {
  std::vector<float> widths;
  float needed = 0;
  float widest = 1;
  for (const BarPart& part : parts) {
    widths.push_back(entry_width(frame, part));
    needed += widths.back();
    widest = std::max(widest, widths.back());
  }
  const auto count = static_cast<int>(parts.size());
  int columns = count;
  if (needed > area.width) {
    const int most = std::clamp(static_cast<int>(area.width / widest), 1, count);
    const int lines = (count + most - 1) / most;
    columns = (count + lines - 1) / lines;
    widths.assign(parts.size(), std::floor(area.width / static_cast<float>(columns)));
  } else {
    for (float& width : widths) {
      width = std::floor(width + (area.width - needed) / static_cast<float>(count));
    }
  }
  const float height = 2 * line_height(frame.fonts().text) + frame.px(2);
  std::vector<Box> boxes;
  float x = area.left;
  float y = area.top;
  for (int i = 0; i < count; ++i) {
    if (i > 0 && i % columns == 0) {
      x = area.left;
      y += height + frame.px(8);
    }
    const float width = widths[static_cast<std::size_t>(i)];
    boxes.push_back({x, y, x + width - frame.px(8), y + height});
    x += width;
  }
  return boxes;
}

void draw_entry(Frame& frame, std::string_view name, const Box& box, const BarPart& part,
                std::size_t index, HiddenParts& hidden) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const Hit hit = hit_area(frame, fmt::format("{}/legend/{}", name, part.id), box);
  if (hit.clicked) hidden ^= 1u << index;
  const bool off = is_hidden(hidden, index);
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_part_tooltip(frame, part);
  }
  const float size = frame.px(8);
  const float middle = box.top + line_height(fonts.text) / 2;
  const Box swatch{box.left, std::round(middle - size / 2), box.left + size,
                   std::round(middle - size / 2) + size};
  if (off) {
    outline(swatch, colours.faint, frame.px(2));
  } else {
    fill(swatch, colours.tone(part.tone), frame.px(2));
  }
  const float left = box.left + frame.px(15);
  const Colour label = off ? colours.faint : hit.hovered ? colours.accent : colours.text;
  draw_text(fonts.text, left, box.top, label, part.label);
  const float second = box.top + line_height(fonts.text) + frame.px(2);
  const float share = text_width(fonts.strong, part.share);
  draw_text(fonts.strong, left, second, off ? colours.faint : colours.text, part.share);
  draw_text(fonts.text, left + share + (share > 0 ? frame.px(5) : 0), second,
            off ? colours.faint : colours.dim, part.value);
  frame.inspector.record_value(fmt::format("{}/{}", name, part.id), reading(part));
}

}  // namespace

std::vector<float> part_edges(const std::vector<BarPart>& parts, HiddenParts hidden, float width) {
  double shown = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!is_hidden(hidden, i)) shown += std::max(0.0, parts[i].fraction);
  }
  std::vector<float> edges(parts.size() + 1, 0.0f);
  if (shown <= 0) return edges;
  // Lengths in whole pixels, the rounding taken from the longest part.
  std::vector<float> lengths(parts.size(), 0.0f);
  std::size_t longest = 0;
  float used = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double fraction = is_hidden(hidden, i) ? 0 : std::max(0.0, parts[i].fraction);
    if (fraction <= 0) continue;
    lengths[i] = std::max(1.0f, std::round(static_cast<float>(fraction / shown) * width));
    used += lengths[i];
    if (lengths[i] > lengths[longest]) longest = i;
  }
  lengths[longest] = std::max(1.0f, lengths[longest] + width - used);
  for (std::size_t i = 0; i < parts.size(); ++i) edges[i + 1] = edges[i] + lengths[i];
  return edges;
}

float draw_stacked_bar(Frame& frame, std::string_view name, const Area& area,
                       const std::vector<BarPart>& parts, HiddenParts& hidden,
                       std::string_view when_empty) {
  if (parts.empty()) {
    return draw_wrapped(frame.fonts().text, area, frame.palette().dim, when_empty);
  }
  const float bar_height = frame.px(30);
  const Box bar{area.left, area.top, area.right(), area.top + bar_height};
  draw_bar(frame, bar, parts, hidden);
  frame.inspector.record_item(fmt::format("{}/bar", name), item_rect(bar));

  const std::vector<Box> entries =
      place_entries(frame, area.below(bar.bottom + frame.px(12)), parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    draw_entry(frame, name, entries[i], parts[i], i, hidden);
  }
  return entries.back().bottom;
}

}  // namespace dlview::ui
