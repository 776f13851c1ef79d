#include "ui/views/iterations/bounds.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/navigation.h"

namespace dlview::ui {
namespace {

constexpr float kReach = 5;        // of a line, to either side
constexpr float kMarkHeight = 14;  // above the plot, where the marks of outliers stand

enum class Place { left_of_view, in_view, right_of_view };

struct Bound {
  const char* name;
  int64_t edge;  // the left edge of this iteration
  float x;
  Place place;
  std::string text;
  Box flag;
};

Place place_of(const Plot& plot, float x) {
  if (x < plot.left - 1) return Place::left_of_view;
  return x > plot.right() + 1 ? Place::right_of_view : Place::in_view;
}

Bound make_bound(const Frame& frame, const Plot& plot, const char* name, int64_t edge,
                 int64_t number) {
  Bound bound{name, edge, std::round(plot.x_of(static_cast<double>(edge))), {}, {}, {}};
  bound.place = place_of(plot, bound.x);
  bound.text = base::format_count(number);
  if (bound.place == Place::left_of_view) bound.text = "< " + bound.text;
  if (bound.place == Place::right_of_view) bound.text += " >";
  const ImFont* font = frame.fonts().strong;
  const float half = std::ceil(text_width(font, bound.text) / 2) + frame.px(6);
  const float x = std::clamp(bound.x, plot.left, plot.right());
  const float bottom = plot.top - frame.px(kMarkHeight);
  bound.flag = {x - half, bottom - line_height(font) - frame.px(1), x + half, bottom};
  return bound;
}

void move(Box& box, float by) {
  box.left += by;
  box.right += by;
}

// Flags stay in the box; two that would overlap stand on the outer sides of their lines, or side by
// side where there is no such side.
void part_flags(Bound& start, Bound& stop, const Box& box, float gap) {
  Box& left = start.flag;
  Box& right = stop.flag;
  if (left.right > right.left) {
    move(left, std::min(0.0f, start.x - left.right));
    move(right, std::max(0.0f, stop.x - right.left));
  }
  move(left, std::max(0.0f, box.left - left.left));
  move(right, std::min(0.0f, box.right - right.right));
  if (left.right <= right.left) return;
  if (left.left <= box.left + gap) move(right, left.right + gap - right.left);
  move(left, std::min(0.0f, right.left - gap - left.right));
}

void draw_line(const Frame& frame, const Plot& plot, const Bound& bound) {
  if (bound.place != Place::in_view) return;
  const float width = frame.px(2);
  const float left = bound.x - std::floor(width / 2);
  fill({left, plot.top - frame.px(kMarkHeight) - 1, left + width, plot.bottom()},
       frame.palette().bound);
}

void draw_flag(const Frame& frame, const Bound& bound) {
  const Palette& colours = frame.palette();
  const bool in_view = bound.place == Place::in_view;
  const Colour colour = in_view ? colours.bound : colours.raised;
  fill(bound.flag, colour, frame.px(3));
  if (!in_view) outline(bound.flag, colours.dim, frame.px(3));
  draw_text_in(frame.fonts().strong, bound.flag, in_view ? text_on(colour) : colours.text,
               bound.text, true);
}

Box line_box(const Frame& frame, const Plot& plot, const Bound& bound) {
  if (bound.place != Place::in_view) return {};
  const float reach = frame.px(kReach);
  return {bound.x - reach, plot.top - frame.px(kMarkHeight), bound.x + reach, plot.bottom()};
}

Box flag_box(const Bound& bound) {
  return bound.place == Place::in_view ? bound.flag : Box{};
}

}  // namespace

BoundsResult draw_bounds(Frame& frame, const Box& box, const Plot& plot,
                         aggregate::IterationRange range, int64_t count, bool whole_range,
                         RangeDrag& drag) {
  Bound start = make_bound(frame, plot, "start", range.first, range.first);
  Bound stop = make_bound(frame, plot, "stop", range.last + 1, range.last);
  part_flags(start, stop, box, frame.px(3));

  BoundsResult result;
  for (const Bound* bound : {&start, &stop}) {
    if (bound->place == Place::in_view) continue;
    const Hit hit = hit_area(frame, fmt::format("iterations/outside_{}", bound->name), bound->flag);
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (hit.clicked) result.wanted_in_view = bound->edge;
  }
  const double at =
      plot.iteration_at(std::clamp(ImGui::GetIO().MousePos.x, plot.left, plot.right()));
  GripBoxes lines{line_box(frame, plot, start), line_box(frame, plot, stop), {}};
  if (whole_range) {
    lines.whole = {std::clamp(start.x, plot.left, plot.right()), plot.top,
                   std::clamp(stop.x, plot.left, plot.right()), plot.bottom()};
  }
  const GripResult on_line = place_grips(frame, "iterations/bound_", lines, at, range, count, drag);
  const GripResult on_flag = place_grips(
      frame, "iterations/flag_", {flag_box(start), flag_box(stop), {}}, at, range, count, drag);
  result.dragged_to = on_line.dragged_to ? on_line.dragged_to : on_flag.dragged_to;
  for (const Bound* bound : {&start, &stop}) draw_line(frame, plot, *bound);
  for (const Bound* bound : {&start, &stop}) draw_flag(frame, *bound);
  return result;
}

}  // namespace dlview::ui
