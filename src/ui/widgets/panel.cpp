#include "ui/widgets/panel.h"

#include <algorithm>
#include <cmath>

#include "ui/widgets/tooltip.h"

namespace dlview::ui {

float heading_height(const Frame& frame) {
  return line_height(frame.fonts().strong) + frame.px(8);
}

Area draw_heading(Frame& frame, const Area& area, const PanelHeading& heading) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const float height = line_height(fonts.strong);
  draw_text(fonts.strong, area.left, area.top, colors.text, heading.title);
  float x = area.left + text_width(fonts.strong, heading.title) + frame.px(8);
  if (!heading.metric.empty()) {
    const float size = frame.px(11);
    draw_icon(Icon::info, x + size / 2, area.top + height / 2, size, colors.dim);
    if (hovered({x - frame.px(3), area.top, x + size + frame.px(3), area.top + height})) {
      show_metric_tooltip(frame, heading.metric);
    }
    x += size + frame.px(8);
  }
  const float link = heading.link.empty() ? 0 : text_width(fonts.text, heading.link) + frame.px(8);
  draw_text_cut(frame, fonts.text, x, area.top, area.right() - link - x, colors.dim, heading.detail,
                CutAt::end);
  x += text_width(fonts.text, heading.detail) + frame.px(8);
  const float note_width = text_width(fonts.text, heading.note);
  if (x + note_width < area.right()) {
    draw_text_right(fonts.text, area.right(), area.top, colors.dim, heading.note);
  }
  return area.below(area.top + heading_height(frame));
}

bool draw_heading_link(Frame& frame, const Area& area, std::string_view name,
                       std::string_view label) {
  const ImFont* font = frame.fonts().text;
  const Box box{area.right() - text_width(font, label), area.top, area.right(),
                area.top + line_height(font)};
  const Hit hit = hit_area(frame, name, box);
  draw_text(font, box.left, box.top, frame.palette().accent, label);
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return hit.clicked;
}

PanelRow::PanelRow(Frame& frame, float top) : frame_(frame), top_(top), bottom_(top) {
  splitter_.Split(ImGui::GetWindowDrawList(), 2);
  splitter_.SetCurrentChannel(ImGui::GetWindowDrawList(), 1);
}

PanelRow::~PanelRow() {
  finish();
}

Area PanelRow::begin_panel(float left, float width) {
  const float padding = frame_.px(kPadding);
  panels_.push_back({left, left + width});
  ImGui::PushClipRect({left, top_}, {left + width, top_ + 1e6f}, true);
  return {left + padding, top_ + frame_.px(kPanelTop), width - 2 * padding};
}

void PanelRow::end_panel(float content_bottom) {
  ImGui::PopClipRect();
  bottom_ = std::max(bottom_, content_bottom + frame_.px(kPadding));
}

float PanelRow::finish() {
  if (finished_) return bottom_;
  finished_ = true;
  ImDrawList* list = ImGui::GetWindowDrawList();
  splitter_.SetCurrentChannel(list, 0);
  for (const Edges& panel : panels_) {
    const Box box{panel.left, top_, panel.right, bottom_};
    fill(box, frame_.palette().panel, frame_.px(kRounding));
    outline(box, frame_.palette().line, frame_.px(kRounding));
  }
  splitter_.Merge(list);
  return bottom_;
}

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

EdgeGrip::Move EdgeGrip::draw(Frame& frame, std::string_view name, const Box& edge) {
  const Hit hit = hit_area(frame, name, edge, Reach::mouse);
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
