#include "ui/palette/card.h"

#include <algorithm>

#include "ui/widgets/panel.h"

namespace dlview::ui {

OverlayCard::OverlayCard(Frame& frame, float width, float height) : frame_(frame) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, 0);
  ImGui::Begin(
      "overlay", nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  const float margin = frame.px(24);
  const float card_width = std::min(frame.px(width), size.x - 2 * margin);
  const float top = std::round(std::min(frame.px(90), size.y * 0.1f));
  box_.left = std::round((size.x - card_width) / 2);
  box_.top = top;
  box_.right = box_.left + card_width;
  box_.bottom = std::min(top + frame.px(height), size.y - margin);
  const Palette& colours = frame.palette();
  const bool dark = frame.model.theme == ThemeKind::dark;
  fill({0, 0, size.x, size.y}, with_opacity(rgb(0x000000), dark ? 0.5f : 0.25f));
  fill(box_, colours.panel, frame.px(kRounding));
  outline(box_, mix(colours.line, colours.text, 0.12f), frame.px(kRounding));
  const bool beside = !ImGui::IsMouseHoveringRect({box_.left, box_.top}, {box_.right, box_.bottom});
  if (beside && ImGui::IsWindowHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    frame.host.show_overlay(Overlay::none);
  }
}

OverlayCard::~OverlayCard() {
  ImGui::End();
}

Area OverlayCard::area() const {
  const float inset = frame_.px(kPadding);
  return {box_.left + inset, box_.top + inset, box_.width() - 2 * inset};
}

Area OverlayCard::draw_heading(std::string_view title) {
  const Area inner = area();
  const Palette& colours = frame_.palette();
  const float height = line_height(frame_.fonts().strong);
  draw_text(frame_.fonts().strong, inner.left, inner.top, colours.text, title);
  const float size = frame_.px(20);
  const float middle = inner.top + height / 2;
  const Box close{inner.right() - size, middle - size / 2, inner.right(), middle + size / 2};
  const Hit hit = hit_area(frame_, "overlay/close", close);
  draw_icon(Icon::close, (close.left + close.right) / 2, middle, frame_.px(11),
            hit.hovered ? colours.text : colours.dim);
  if (hit.clicked) frame_.host.show_overlay(Overlay::none);
  return inner.below(inner.top + height + frame_.px(12));
}

}  // namespace dlview::ui
