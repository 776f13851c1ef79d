#include "ui/widgets/scroll_area.h"

#include "ui/widgets/panel.h"

namespace dlview::ui {

ScrollArea::ScrollArea(Frame& frame, const char* id, const Box& box, bool wheel) : frame_(frame) {
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, frame.px(kGap));
  ImGui::BeginChild(id, {box.width(), box.height()}, false,
                    wheel ? ImGuiWindowFlags_None : ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(2);
  const float margin = frame.px(kGap);
  area_ = {box.left + margin, box.top + margin - ImGui::GetScrollY(), box.width() - 2 * margin};
  bottom_ = area_.top;
}

ScrollArea::~ScrollArea() {
  ImGui::SetCursorScreenPos({area_.left, bottom_ + frame_.px(kGap)});
  ImGui::Dummy({0, 0});
  ImGui::EndChild();
}

}  // namespace dlview::ui
