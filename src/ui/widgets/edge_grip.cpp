#include "ui/widgets/edge_grip.h"

#include <cmath>

namespace dlview::ui {

EdgeGrip::Move EdgeGrip::draw(Frame& frame, std::string_view name, const Box& edge) {
  const Hit hit = hit_area(frame, name, edge);
  if (hit.hovered || hit.held) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    const float middle = std::round((edge.top + edge.bottom) / 2);
    horizontal_line(edge.left, edge.right, middle, frame.palette().accent);
  }
  if (!hit.held) return {};
  const float mouse = ImGui::GetIO().MousePos.y;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) held_at_ = mouse - edge.top;
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    held_at_.reset();
    return {.top = {}, .resets = true};
  }
  if (!held_at_) return {};
  return {.top = mouse - *held_at_};
}

}  // namespace dlview::ui
