// One name for what Dear ImGui's versions 1.86 to 1.92 call differently. Three other files know its
// version: ui/fonts.cpp bakes fonts, app/imgui_events.cpp hands over input, app/imgui_setup.cpp
// remakes the texture of the fonts.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>  // ClearActiveID, ScrollbarY

namespace dlview::ui {

// Pixels from the ascender to the descender. From 1.92 on a font can have several sizes; dlview
// uses the one that it was added with.
inline float font_size(const ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  return font->LegacySize;
#else
  return font->FontSize;
#endif
}

// The font as the functions that measure and draw text take it: from 1.92 on they load glyphs.
inline ImFont* loading_font(const ImFont* font) {
  return const_cast<ImFont*>(font);
}

// Pixels from the top of a line of text to its base line.
inline float font_ascent(const ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  return loading_font(font)->GetFontBaked(font_size(font))->Ascent;
#else
  return font->Ascent;
#endif
}

// Needs ImGui::PopFont().
inline void push_font(const ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(loading_font(font), font_size(font));
#else
  ImGui::PushFont(loading_font(font));
#endif
}

// In this frame, or with `repeats` again as long as it is held.
inline bool is_key_pressed(ImGuiKey key, bool repeats = true) {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(key, repeats);
#else
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key), repeats);
#endif
}

// Takes the keyboard from the field that is being typed into. Its text stays.
inline void clear_active_item() {
  if (ImGui::IsAnyItemActive()) ImGui::ClearActiveID();
}

// Whether the current window has a vertical scroll bar.
inline bool window_scrolls() {
  return ImGui::GetCurrentWindow()->ScrollbarY;
}

// The current window or one of its children has the keyboard, and no popup above it.
inline bool is_window_focused_alone() {
  return ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows |
                                ImGuiFocusedFlags_NoPopupHierarchy);
}

// Gives the keyboard to the next item. Versions 1.89 to 1.90.1 look for it only where the keyboard
// was, so they get this window first.
inline void focus_next_item() {
#if IMGUI_VERSION_NUM >= 18900 && IMGUI_VERSION_NUM < 19020
  ImGui::SetWindowFocus();
#endif
  ImGui::SetKeyboardFocusHere();
}

#if IMGUI_VERSION_NUM >= 19140
constexpr ImGuiCol kNavigationColor = ImGuiCol_NavCursor;
#else
constexpr ImGuiCol kNavigationColor = ImGuiCol_NavHighlight;
#endif

}  // namespace dlview::ui
