#include "ui/chart/range_slider.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/units.h"
#include "ui/chart/navigation.h"
#include "ui/chart/range_grips.h"

namespace dlview::ui {
namespace {

constexpr float kReach = 9;    // of a handle, to either side
constexpr float kEndGap = 14;  // between the track and the numbers at its ends

void draw_handle(Frame& frame, float x, float y, const Hit& hit) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& colours = frame.palette();
  const bool lit = hit.hovered || hit.held;
  const float radius = frame.px(lit ? 8 : 7);
  list.AddCircleFilled({x, y}, radius, lit ? colours.accent : colours.panel);
  list.AddCircle({x, y}, radius, colours.accent, 0, frame.px(2));
}

void draw_ends(const Frame& frame, const Box& box, int64_t count) {
  const ImFont* font = frame.fonts().small;
  const float top = std::round((box.top + box.bottom - font_size(font)) / 2);
  const float gap = frame.px(kEndGap);
  draw_text_right(font, box.left - gap, top, frame.palette().dim, "0");
  draw_text(font, box.right + gap, top, frame.palette().dim, base::format_count(count - 1));
}

}  // namespace

float slider_end_width(const Frame& frame, int64_t count) {
  return frame.px(kEndGap) + text_width(frame.fonts().small, base::format_count(count - 1));
}

std::optional<aggregate::IterationRange> draw_range_slider(Frame& frame, std::string_view name,
                                                           const Box& box, const SliderInput& input,
                                                           RangeDrag& drag) {
  const Palette& colours = frame.palette();
  Plot track;
  track.left = box.left;
  track.width = box.width();
  track.span = whole_span(input.count);
  const float middle = std::round((box.top + box.bottom) / 2);
  const float half = frame.px(2);
  const float first_x = std::round(track.x_of(static_cast<double>(input.range.first)));
  const float last_x = std::round(track.x_of(static_cast<double>(input.range.last + 1)));
  if (input.visible != track.span) {
    const Box band{std::round(track.x_of(input.visible.first)), box.top + frame.px(3),
                   std::round(track.x_of(input.visible.last)), box.bottom - frame.px(3)};
    fill(band, with_opacity(colours.text, 0.12f), frame.px(3));
    frame.inspector.record_item(std::string(name) + "/visible", item_rect(band));
  }
  fill({box.left, middle - half, box.right, middle + half}, colours.line, half);
  fill({first_x, middle - half, last_x, middle + half}, colours.accent, half);
  draw_ends(frame, box, input.count);

  const float reach = frame.px(kReach);
  const GripBoxes boxes{{first_x - reach, box.top, first_x + reach, box.bottom},
                        {last_x - reach, box.top, last_x + reach, box.bottom},
                        {first_x, box.top, last_x, box.bottom}};
  const GripResult grips =
      place_grips(frame, std::string(name) + "/", boxes,
                  track.iteration_at(ImGui::GetIO().MousePos.x), input.range, input.count, drag);
  draw_handle(frame, first_x, middle, grips.first);
  draw_handle(frame, last_x, middle, grips.last);
  return grips.dragged_to;
}

}  // namespace dlview::ui
