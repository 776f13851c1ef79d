#include "ui/widgets/text_block.h"

#include <algorithm>

#include <fmt/format.h>

#include "ui/widgets/copy_menu.h"

namespace dlview::ui {
namespace {

constexpr std::size_t kFewLines = 6;

}  // namespace

float draw_text_block(Frame& frame, std::string_view name, const Area& area, std::string_view title,
                      std::string_view text, bool& whole) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const std::string path = fmt::format("{}/{}", name, title);
  float y = area.top;
  draw_text(fonts.strong, area.left, y, colours.text, title);
  y += line_height(fonts.strong) + frame.px(6);
  const auto measure = [font = fonts.mono](std::string_view part) {
    return text_width(font, part);
  };
  const std::vector<std::string> lines = wrap_lines(text, area.width, measure);
  const std::size_t shown = whole ? lines.size() : std::min(lines.size(), kFewLines);
  for (std::size_t i = 0; i < shown; ++i) {
    draw_text(fonts.mono, area.left, y, colours.dim, lines[i]);
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
  draw_text(fonts.small, link.left, link.top, colours.accent, label);
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hit.clicked) whole = !whole;
  return link.bottom;
}

}  // namespace dlview::ui
