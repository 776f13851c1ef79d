#include "ui/widgets/range_slider.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/units.h"
#include "ui/chart/navigation.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

// Positions of whole numbers on the track: `number` begins at x_of(number).
struct Track {
  float left, width;
  int64_t count;
  float x_of(int64_t number) const {
    return left +
           width * static_cast<float>(static_cast<double>(number) / static_cast<double>(count));
  }
  int64_t number_at(float x) const {
    return static_cast<int64_t>(std::floor((x - left) / width * static_cast<double>(count) + 0.5));
  }
};

void draw_handle(Frame& frame, float x, float y, const Hit& hit) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& colours = frame.palette();
  const bool lit = hit.hovered || hit.held;
  const float radius = frame.px(lit ? 8 : 7);
  list.AddCircleFilled({x, y}, radius, lit ? colours.accent : colours.panel);
  list.AddCircle({x, y}, radius, colours.accent, 0, frame.px(2));
  if (lit) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
}

}  // namespace

std::optional<aggregate::IterationRange> draw_range_slider(Frame& frame, std::string_view name,
                                                           const Box& box,
                                                           aggregate::IterationRange range,
                                                           int64_t count, SliderDrag& drag) {
  const Track track{box.left, box.width(), count};
  const Palette& colours = frame.palette();
  const float middle = std::round((box.top + box.bottom) / 2);
  const float half = frame.px(2);
  const float first_x = std::round(track.x_of(range.first));
  const float last_x = std::round(track.x_of(range.last + 1));
  fill({box.left, middle - half, box.right, middle + half}, colours.line, half);
  fill({first_x, middle - half, last_x, middle + half}, colours.accent, half);

  const std::string path(name);
  const float reach = frame.px(9);
  // The handles come first: the first item under the mouse is the one that is dragged.
  const float between = (first_x + last_x) / 2;
  const Box start_box{first_x - reach, box.top, std::min(first_x + reach, between), box.bottom};
  const Box stop_box{std::max(last_x - reach, between), box.top, last_x + reach, box.bottom};
  const Hit start = hit_area(frame, path + "/start", start_box);
  const Hit stop = hit_area(frame, path + "/stop", stop_box);
  const Hit whole =
      hit_area(frame, path + "/span", {start_box.right, box.top, stop_box.left, box.bottom});
  draw_handle(frame, first_x, middle, start);
  draw_handle(frame, last_x, middle, stop);

  const float mouse_x = ImGui::GetIO().MousePos.x;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) drag = {range, mouse_x};
  aggregate::IterationRange wanted = range;
  if (start.held) wanted = with_first(range, track.number_at(mouse_x), count);
  if (stop.held) wanted = with_last(range, track.number_at(mouse_x) - 1, count);
  if (whole.held) {
    const auto by = static_cast<int64_t>(
        std::round((mouse_x - drag.mouse_x) / track.width * static_cast<float>(count)));
    wanted = shifted(drag.from, by, count);
  }
  if (whole.hovered || whole.held) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return wanted == range ? std::nullopt : std::optional(wanted);
}

}  // namespace dlview::ui
