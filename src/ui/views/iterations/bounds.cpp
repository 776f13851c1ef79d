#include "ui/views/iterations/bounds.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "ui/chart/navigation.h"

namespace dlview::ui {
namespace {

struct Bound {
  const char* name;
  float x;
  int64_t number;
  bool visible;
};

Box flag_box(const Frame& frame, const Plot& plot, const Bound& bound) {
  const float half =
      std::ceil(text_width(frame.fonts().strong, base::format_count(bound.number)) / 2) +
      frame.px(6);
  const float height = line_height(frame.fonts().strong) + frame.px(1);
  return {bound.x - half, plot.top - frame.px(4) - height, bound.x + half, plot.top - frame.px(4)};
}

// Flags that would overlap stand on the outer sides of their lines.
void part_flags(Box& left, Box& right, float left_x, float right_x) {
  if (left.right <= right.left) return;
  const auto move = [](Box& box, float by) {
    box.left += by;
    box.right += by;
  };
  move(left, left_x - left.right);
  move(right, right_x - right.left);
}

void draw_flag(const Frame& frame, const Plot& plot, const Bound& bound, const Box& flag) {
  const Palette& colours = frame.palette();
  const float width = frame.px(2);
  const float left = bound.x - std::floor(width / 2);
  fill({left, flag.bottom - frame.px(2), left + width, plot.bottom()}, colours.bound);
  fill(flag, colours.bound, frame.px(3));
  draw_text_in(frame.fonts().strong, flag, text_on(colours.bound), base::format_count(bound.number),
               true);
}

Hit bound_hit(Frame& frame, const Plot& plot, const Bound& bound, const Box& flag) {
  const float reach = frame.px(5);
  const Hit line =
      hit_area(frame, std::string("iterations/bound_") + bound.name,
               {bound.x - reach, plot.top - frame.px(4), bound.x + reach, plot.bottom()});
  const Hit on_flag = hit_area(frame, std::string("iterations/flag_") + bound.name, flag);
  return {line.hovered || on_flag.hovered, line.held || on_flag.held, false};
}

}  // namespace

BoundsResult draw_bounds(Frame& frame, const Plot& plot, aggregate::IterationRange range,
                         int64_t count) {
  const auto bound_at = [&](const char* name, int64_t edge, int64_t number) {
    const float x = std::round(plot.x_of(static_cast<double>(edge)));
    return Bound{name, x, number, x >= plot.left - 1 && x <= plot.right() + 1};
  };
  const Bound start = bound_at("start", range.first, range.first);
  const Bound stop = bound_at("stop", range.last + 1, range.last);
  Box start_flag = flag_box(frame, plot, start);
  Box stop_flag = flag_box(frame, plot, stop);
  part_flags(start_flag, stop_flag, start.x, stop.x);

  BoundsResult result;
  const auto dragged_to = [&](const Bound& bound, const Box& flag) -> std::optional<int64_t> {
    if (!bound.visible) return std::nullopt;
    const Hit hit = bound_hit(frame, plot, bound, flag);
    draw_flag(frame, plot, bound, flag);
    result.hovered |= hit.hovered || hit.held;
    if (!hit.held) return std::nullopt;
    const float x = std::clamp(ImGui::GetIO().MousePos.x, plot.left, plot.right());
    return static_cast<int64_t>(std::round(plot.iteration_at(x)));
  };
  aggregate::IterationRange wanted = range;
  if (const auto edge = dragged_to(start, start_flag)) wanted = with_first(range, *edge, count);
  if (const auto edge = dragged_to(stop, stop_flag)) wanted = with_last(range, *edge - 1, count);
  if (wanted != range) result.dragged_to = wanted;
  if (result.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  return result;
}

}  // namespace dlview::ui
