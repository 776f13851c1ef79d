#include "aggregate/recorded.h"
#include "ui/chart/categories.h"
#include "ui/views/iterations/chart.h"

namespace dlview::ui {
namespace {

float draw_entry(Frame& frame, float x, float top, Colour colour, bool off, bool lit,
                 std::string_view label) {
  const ImFont* font = frame.fonts().small;
  const float size = frame.px(8);
  const float middle = std::round(top + line_height(font) / 2);
  const Box swatch{x, middle - size / 2, x + size, middle + size / 2};
  if (off) {
    outline(swatch, frame.palette().faint, frame.px(2));
  } else {
    fill(swatch, colour, frame.px(2));
  }
  const Colour text = off   ? frame.palette().dim
                      : lit ? frame.palette().accent
                            : frame.palette().text;
  draw_text(font, x + size + frame.px(7), top, text, label);
  return size + frame.px(7) + text_width(font, label);
}

}  // namespace

float draw_chart_legend(Frame& frame, const Area& area, HiddenCategories& hidden,
                        std::string_view hint) {
  const ImFont* font = frame.fonts().small;
  const float height = line_height(font);
  const float gap = frame.px(20);
  float x = area.left;
  float y = area.top;
  const auto wrap = [&](float width) {
    if (x <= area.left || x + width <= area.right()) return;
    x = area.left;
    y += height + frame.px(4);
  };
  const aggregate::RecordedCategories all_recorded(*frame.model.profile, *frame.model.aggregation);
  for (const aggregate::Category category : aggregate::kCategories) {
    const auto index = static_cast<std::size_t>(category);
    const bool recorded = all_recorded.contains(category);
    const std::string label = category_label(category) + (recorded ? "" : " (not recorded)");
    const float width = frame.px(15) + text_width(font, label);
    wrap(width);
    const Hit hit = hit_area(frame, "iterations/legend/" + category_id(category),
                             {x - frame.px(4), y, x + width + frame.px(4), y + height});
    if (hit.clicked) hidden.flip(index);
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const Colour colour =
        recorded ? frame.palette().tone(tone_of(category)) : frame.palette().faint;
    x += draw_entry(frame, x, y, colour, hidden[index] || !recorded, hit.hovered, label) + gap;
  }
  if (frame.model.aggregation->iteration_table->has_communication) {
    constexpr std::string_view kExposed = "exposed communication, in other kernels";
    wrap(frame.px(15) + text_width(font, kExposed));
    const Colour colour = frame.palette().tone(Tone::communication);
    x += draw_entry(frame, x, y, colour, false, false, kExposed) + gap;
  }
  constexpr std::string_view kOutside = "outside the range";
  wrap(frame.px(15) + text_width(font, kOutside));
  x += draw_entry(frame, x, y, frame.palette().outside, false, false, kOutside) + gap;
  if (x + text_width(font, hint) < area.right()) {
    draw_text_right(font, area.right(), y, frame.palette().dim, hint);
  }
  return y + height;
}

}  // namespace dlview::ui
