#include "ui/look.h"

#include "ui/imgui_compat.h"

namespace dlview::ui {

void Inspector::begin_frame() {
  values_.clear();
  items_.clear();
}

void Inspector::record_value(std::string_view name, std::string_view text) {
  values_.insert_or_assign(std::string(name), std::string(text));
}

void Inspector::record_item(std::string_view name, const ItemRect& rect) {
  items_.insert_or_assign(std::string(name), rect);
}

void apply_style(const Look& look) {
  ImGuiStyle style;
  style.WindowPadding = {look.px(10), look.px(8)};
  style.FramePadding = {look.px(8), look.px(4)};
  style.ItemSpacing = {look.px(8), look.px(6)};
  style.WindowRounding = 0;
  style.ChildRounding = 0;
  style.PopupRounding = look.px(6);
  style.FrameRounding = look.px(5);
  style.ScrollbarRounding = look.px(4);
  style.ScrollbarSize = look.px(11);
  style.GrabRounding = look.px(4);
  style.FrameBorderSize = 1;
  style.PopupBorderSize = 1;
  style.WindowBorderSize = 0;

  const auto set = [&](ImGuiCol which, Color color) {
    style.Colors[which] = ImGui::ColorConvertU32ToFloat4(color);
  };
  const Palette& colors = *look.colors;
  const Color hovered = lit_surface(colors);
  const Color none = 0;
  set(ImGuiCol_Text, colors.text);
  set(ImGuiCol_TextDisabled, colors.dim);
  set(ImGuiCol_WindowBg, colors.background);
  set(ImGuiCol_ChildBg, none);
  set(ImGuiCol_PopupBg, colors.raised);
  set(ImGuiCol_Border, mix(colors.line, colors.text, 0.12f));
  set(ImGuiCol_FrameBg, colors.background);
  set(ImGuiCol_FrameBgHovered, colors.background);
  set(ImGuiCol_FrameBgActive, colors.background);
  set(ImGuiCol_Button, colors.raised);
  set(ImGuiCol_ButtonHovered, hovered);
  set(ImGuiCol_ButtonActive, hovered);
  set(ImGuiCol_Header, hovered);
  set(ImGuiCol_HeaderHovered, hovered);
  set(ImGuiCol_HeaderActive, hovered);
  set(ImGuiCol_Separator, colors.line);
  set(ImGuiCol_ScrollbarBg, none);
  set(ImGuiCol_ScrollbarGrab, colors.line);
  set(ImGuiCol_ScrollbarGrabHovered, colors.faint);
  set(ImGuiCol_ScrollbarGrabActive, colors.faint);
  set(ImGuiCol_TextSelectedBg, with_opacity(colors.accent, 0.35f));
  set(kNavigationColor, colors.accent);
  ImGui::GetStyle() = style;
}

}  // namespace dlview::ui
