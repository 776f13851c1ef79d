#include "ui/chart/range_grips.h"

#include <string>

namespace dlview::ui {
namespace {

bool mouse_is_in(const Box& box) {
  return box.width() >= 1 &&
         ImGui::IsMouseHoveringRect({box.left, box.top}, {box.right, box.bottom});
}

Hit hit_if_any(Frame& frame, const std::string& name, const Box& box) {
  return box.width() >= 1 ? hit_area(frame, name, box) : Hit{};
}

Grip held_grip(const GripResult& grips) {
  if (grips.first.held) return Grip::first;
  if (grips.last.held) return Grip::last;
  return grips.whole.held ? Grip::whole : Grip::none;
}

}  // namespace

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

}  // namespace dlview::ui
