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

  const auto set = [&](ImGuiCol which, Colour colour) {
    style.Colors[which] = ImGui::ColorConvertU32ToFloat4(colour);
  };
  const Palette& colours = look.palette;
  const Colour hovered = mix(colours.raised, colours.text, 0.08f);
  const Colour none = 0;
  set(ImGuiCol_Text, colours.text);
  set(ImGuiCol_TextDisabled, colours.dim);
  set(ImGuiCol_WindowBg, colours.background);
  set(ImGuiCol_ChildBg, none);
  set(ImGuiCol_PopupBg, colours.raised);
  set(ImGuiCol_Border, mix(colours.line, colours.text, 0.12f));
  set(ImGuiCol_FrameBg, colours.background);
  set(ImGuiCol_FrameBgHovered, colours.background);
  set(ImGuiCol_FrameBgActive, colours.background);
  set(ImGuiCol_Button, colours.raised);
  set(ImGuiCol_ButtonHovered, hovered);
  set(ImGuiCol_ButtonActive, hovered);
  set(ImGuiCol_Header, hovered);
  set(ImGuiCol_HeaderHovered, hovered);
  set(ImGuiCol_HeaderActive, hovered);
  set(ImGuiCol_Separator, colours.line);
  set(ImGuiCol_ScrollbarBg, none);
  set(ImGuiCol_ScrollbarGrab, colours.line);
  set(ImGuiCol_ScrollbarGrabHovered, colours.faint);
  set(ImGuiCol_ScrollbarGrabActive, colours.faint);
  set(ImGuiCol_TextSelectedBg, with_opacity(colours.accent, 0.35f));
  set(kNavigationColour, colours.accent);
  ImGui::GetStyle() = style;
}

}  // namespace dlview::ui
