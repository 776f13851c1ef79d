#include "ui/chart/navigation.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/units.h"

namespace dlview::ui {
namespace {

Span inside(Span span, int64_t count) {
  const Span whole = whole_span(count);
  const double size = std::min(span.size(), whole.size());
  const double first = std::clamp(span.first, 0.0, whole.last - size);
  return {first, first + size};
}

bool mouse_is_in(const Box& box) {
  return box.width() >= 1 &&
         ImGui::IsMouseHoveringRect({box.left, box.top}, {box.right, box.bottom});
}

Hit hit_if_any(Frame& frame, const std::string& name, const Box& box) {
  return box.width() >= 1 ? hit_area(frame, name, box, Reach::mouse) : Hit{};
}

Grip held_grip(const GripResult& grips) {
  if (grips.first.held) return Grip::first;
  if (grips.last.held) return Grip::last;
  return grips.whole.held ? Grip::whole : Grip::none;
}

constexpr float kReach = 9;    // of a handle, to either side
constexpr float kEndGap = 14;  // between the track and the numbers at its ends

void draw_handle(Frame& frame, float x, float y, const Hit& hit) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& colors = frame.palette();
  const bool lit = hit.hovered || hit.held;
  const float radius = frame.px(lit ? 8 : 7);
  list.AddCircleFilled({x, y}, radius, lit ? colors.accent : colors.panel);
  list.AddCircle({x, y}, radius, colors.accent, 0, frame.px(2));
}

void draw_ends(const Frame& frame, const Box& box, int64_t count) {
  const ImFont* font = frame.fonts().small;
  const float top = std::round((box.top + box.bottom - font_size(font)) / 2);
  const float gap = frame.px(kEndGap);
  draw_text_right(font, box.left - gap, top, frame.palette().dim, "0");
  draw_text(font, box.right + gap, top, frame.palette().dim, base::format_count(count - 1));
}

}  // namespace

Span whole_span(int64_t count) {
  return {0, static_cast<double>(std::max<int64_t>(1, count))};
}

Span zoomed(Span span, double at, double factor, int64_t count) {
  const double largest = whole_span(count).size();
  const double size = std::clamp(span.size() * factor, std::min(kSmallestSpan, largest), largest);
  const double share_left = (at - span.first) / span.size();
  const double first = at - share_left * size;
  return inside({first, first + size}, count);
}

Span panned(Span span, double by, int64_t count) {
  return inside({span.first + by, span.last + by}, count);
}

aggregate::IterationRange with_first(aggregate::IterationRange range, int64_t first,
                                     int64_t count) {
  range.last = std::clamp<int64_t>(range.last, 0, count - 1);
  return {std::clamp<int64_t>(first, 0, range.last), range.last};
}

aggregate::IterationRange with_last(aggregate::IterationRange range, int64_t last, int64_t count) {
  range.first = std::clamp<int64_t>(range.first, 0, count - 1);
  return {range.first, std::clamp<int64_t>(last, range.first, count - 1)};
}

aggregate::IterationRange from_first(aggregate::IterationRange range, int64_t first,
                                     int64_t count) {
  first = std::clamp<int64_t>(first, 0, count - 1);
  return {first, std::max(first, std::clamp<int64_t>(range.last, 0, count - 1))};
}

aggregate::IterationRange to_last(aggregate::IterationRange range, int64_t last, int64_t count) {
  last = std::clamp<int64_t>(last, 0, count - 1);
  return {std::min(last, std::clamp<int64_t>(range.first, 0, count - 1)), last};
}

aggregate::IterationRange shifted(aggregate::IterationRange range, int64_t by, int64_t count) {
  const int64_t move = std::clamp<int64_t>(by, -range.first, count - 1 - range.last);
  return {range.first + move, range.last + move};
}

aggregate::IterationRange current_range(const workspace::RunModel& run) {
  const aggregate::Selection& computed = run.aggregation->selection;
  if (run.selection.cut != computed.cut) return computed.range;
  const auto& rows = run.aggregation->iteration_table->iterations.rows;
  return aggregate::clamp_range(run.selection.range, static_cast<int64_t>(rows.size()));
}

void RangeDrag::begin(Grip grip, bool either, aggregate::IterationRange range, double at) {
  grip_ = grip;
  either_ = either;
  from_ = range;
  begun_at_ = at;
}

aggregate::IterationRange RangeDrag::moved_to(double at, int64_t count) {
  const auto by = static_cast<int64_t>(std::round(at - begun_at_));
  if (either_ && by != 0) {
    grip_ = by < 0 ? Grip::first : Grip::last;
    either_ = false;
  }
  switch (grip_) {
    case Grip::first:
      return with_first(from_, from_.first + by, count);
    case Grip::last:
      return with_last(from_, from_.last + by, count);
    case Grip::whole:
      return shifted(from_, by, count);
    case Grip::none:
      break;
  }
  return from_;
}

GripResult place_grips(Frame& frame, std::string_view prefix, const GripBoxes& boxes, double at,
                       aggregate::IterationRange range, int64_t count, RangeDrag& drag) {
  // The bounds come first: the first item under the mouse is the one that is held.
  GripResult result;
  const std::string path(prefix);
  result.first = hit_if_any(frame, path + "start", boxes.first);
  result.last = hit_if_any(frame, path + "stop", boxes.last);
  result.whole = hit_if_any(frame, path + "span", boxes.whole);
  const bool on_bound = result.first.hovered || result.last.hovered;
  if (on_bound || result.first.held || result.last.held) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  } else if (result.whole.hovered || result.whole.held) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  const Grip held = held_grip(result);
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) drag.end();
  if (held == Grip::none) return result;
  if (drag.grip() == Grip::none) {
    const bool either = held != Grip::whole && mouse_is_in(boxes.first) && mouse_is_in(boxes.last);
    drag.begin(held, either, range, at);
  }
  const aggregate::IterationRange wanted = drag.moved_to(at, count);
  if (wanted != range) result.dragged_to = wanted;
  return result;
}

float slider_end_width(const Frame& frame, int64_t count) {
  return frame.px(kEndGap) + text_width(frame.fonts().small, base::format_count(count - 1));
}

std::optional<aggregate::IterationRange> draw_range_slider(Frame& frame, std::string_view name,
                                                           const Box& box, const SliderInput& input,
                                                           RangeDrag& drag) {
  const Palette& colors = frame.palette();
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
    fill(band, with_opacity(colors.text, 0.12f), frame.px(3));
    frame.inspector.record_item(std::string(name) + "/visible", item_rect(band));
  }
  fill({box.left, middle - half, box.right, middle + half}, colors.line, half);
  fill({first_x, middle - half, last_x, middle + half}, colors.accent, half);
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
