#include "ui/widgets/stacked_bar.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/filters.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/number.h"

namespace dlview::ui {
namespace {

bool is_hidden(HiddenParts hidden, std::size_t part) {
  return ((hidden >> part) & 1u) != 0;
}

bool is_gauge(const std::vector<BarPart>& parts) {
  return parts.size() <= 2;
}

std::string reading(const BarPart& part) {
  return part.share.empty() ? part.value : fmt::format("{} {}", part.share, part.value);
}

Number number_of(const BarPart& part, std::string hint) {
  return {part.label, part.full, part.metric, {}, true, part.filter, std::move(hint)};
}

// A gauge names its parts: "99.9%" alone would read as that of the heading.
std::string text_inside(const std::vector<BarPart>& parts, std::size_t part) {
  const BarPart& shown = parts[part];
  return is_gauge(parts) ? fmt::format("{} {}", shown.label, shown.share) : shown.share;
}

std::string slice_hint(const Model& model, const BarPart& part) {
  if (!part.opens.empty()) return "Click to open " + part.opens;
  return part.filter ? click_hint(model, *part.filter) : "No filter matches this part alone";
}

std::string entry_hint(const BarPart& part, bool off, bool clickable) {
  if (!clickable) return "";
  if (!part.opens.empty()) return "Click to open " + part.opens;
  return off ? "Click to show this part" : "Click to hide this part";
}

// Returns the part that was clicked, of those for which a click does something.
const BarPart* draw_bar(Frame& frame, std::string_view name, const Box& bar,
                        const std::vector<BarPart>& parts, HiddenParts hidden) {
  const BarPart* clicked = nullptr;
  const float rounding = frame.px(3);
  const ImFont* font = frame.fonts().strong;
  const std::vector<float> edges = part_edges(parts, bar.width());
  fill(bar, frame.palette().raised, rounding);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const float width = edges[i + 1] - edges[i];
    if (width < 1) continue;
    const Box whole{bar.left + edges[i], bar.top, bar.left + edges[i + 1], bar.bottom};
    const std::string path = fmt::format("{}/{}", name, parts[i].id);
    explain_number(frame, path, whole, number_of(parts[i], slice_hint(frame.model, parts[i])));
    frame.inspector.record_item(path, item_rect(whole));
    if (parts[i].filter || !parts[i].opens.empty()) {
      const Hit hit = hit_area(frame, path, whole);
      if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (hit.clicked) clicked = &parts[i];
    }
    if (is_hidden(hidden, i)) continue;
    Box part = whole;
    if (whole.right < bar.right && width > 3) part.right -= 1;
    const Color color = frame.palette().tone(parts[i].tone);
    fill_tone(frame, part, parts[i].tone, std::min(rounding, part.width() / 2));
    const float inset = frame.px(8);
    const std::string text = text_inside(parts, i);
    if (text_width(font, text) + 2 * inset < part.width()) {
      draw_text_in(font, {part.left + inset, part.top, part.right, part.bottom}, text_on(color),
                   text);
      frame.inspector.record_value(fmt::format("{}/bar/{}", name, parts[i].id), text);
    }
  }
  return clicked;
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

struct EntryColors {
  Color label, share, value;
};

EntryColors entry_colors(const Palette& colors, const BarPart& part, bool off, bool lit) {
  if (off) return {colors.dim, colors.dim, colors.dim};
  if (lit || !part.opens.empty()) return {colors.accent, colors.text, colors.dim};
  return {part.recorded ? colors.text : colors.dim, colors.text, colors.dim};
}

void draw_swatch(Frame& frame, const Box& entry, const BarPart& part, bool off) {
  const float size = frame.px(8);
  const float middle = entry.top + line_height(frame.fonts().text) / 2;
  const float top = std::round(middle - size / 2);
  const Box swatch{entry.left, top, entry.left + size, top + size};
  if (off) return outline(swatch, frame.palette().faint, frame.px(2));
  if (part.recorded) return fill_tone(frame, swatch, part.tone, frame.px(2));
  fill(swatch, with_opacity(frame.palette().tone(part.tone), kUnrecorded), frame.px(2));
}

// Returns whether it was clicked.
bool draw_entry(Frame& frame, std::string_view name, const Box& box, const BarPart& part, bool off,
                bool clickable) {
  const Fonts& fonts = frame.fonts();
  const std::string path = fmt::format("{}/legend/{}", name, part.id);
  const Hit hit = clickable ? hit_area(frame, path, box) : Hit{};
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain_number(frame, path, box, number_of(part, entry_hint(part, off, clickable)));
  draw_swatch(frame, box, part, off);
  const EntryColors colors = entry_colors(frame.palette(), part, off, hit.hovered);
  const float left = box.left + frame.px(15);
  draw_text(fonts.text, left, box.top, colors.label,
            part.opens.empty() ? part.label : part.label + " ›");
  const float second = box.top + line_height(fonts.text) + frame.px(2);
  const float share = text_width(fonts.strong, part.share);
  draw_text(fonts.strong, left, second, colors.share, part.share);
  draw_text(fonts.text, left + share + (share > 0 ? frame.px(5) : 0), second, colors.value,
            part.value);
  frame.inspector.record_value(fmt::format("{}/{}", name, part.id), reading(part));
  return hit.clicked;
}

}  // namespace

std::vector<float> part_edges(const std::vector<BarPart>& parts, float width) {
  double whole = 0;
  for (const BarPart& part : parts) whole += std::max(0.0, part.fraction);
  std::vector<float> edges(parts.size() + 1, 0.0f);
  if (whole <= 0) return edges;
  // Lengths in whole pixels, the rounding taken from the longest part.
  std::vector<float> lengths(parts.size(), 0.0f);
  std::size_t longest = 0;
  float used = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double fraction = std::max(0.0, parts[i].fraction);
    if (fraction <= 0) continue;
    lengths[i] = std::max(1.0f, std::round(static_cast<float>(fraction / whole) * width));
    used += lengths[i];
    if (lengths[i] > lengths[longest]) longest = i;
  }
  lengths[longest] = std::max(1.0f, lengths[longest] + width - used);
  for (std::size_t i = 0; i < parts.size(); ++i) edges[i + 1] = edges[i] + lengths[i];
  return edges;
}

float draw_stacked_bar(Frame& frame, std::string_view name, const Area& area,
                       const std::vector<BarPart>& parts, HiddenParts& hidden,
                       std::string_view when_empty, const BarPart** opened) {
  if (parts.empty()) {
    return draw_wrapped(frame.fonts().text, area, frame.palette().dim, when_empty);
  }
  const float bar_height = frame.px(30);
  const Box bar{area.left, area.top, area.right(), area.top + bar_height};
  const BarPart* slice = draw_bar(frame, name, bar, parts, is_gauge(parts) ? 0 : hidden);
  if (slice != nullptr && slice->filter) toggle_filter(frame, *slice->filter);
  if (slice != nullptr && !slice->opens.empty() && opened != nullptr) *opened = slice;
  frame.inspector.record_item(fmt::format("{}/bar", name), item_rect(bar));

  const std::vector<Box> entries =
      place_entries(frame, area.below(bar.bottom + frame.px(12)), parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool opens = opened != nullptr && !parts[i].opens.empty();
    const bool off = !is_gauge(parts) && is_hidden(hidden, i);
    if (!draw_entry(frame, name, entries[i], parts[i], off, opens || !is_gauge(parts))) continue;
    if (opens) {
      *opened = &parts[i];
    } else {
      hidden ^= 1u << i;
    }
  }
  return entries.back().bottom;
}

}  // namespace dlview::ui
