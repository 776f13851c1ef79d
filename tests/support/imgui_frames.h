// Builds Dear ImGui's frames without drawing them, and hides what its versions differ in.
#pragma once

#include <imgui.h>

namespace dlview::testing {

// Prepares the current context: a display of this size, 60 frames a second, no file.
inline void set_up_frames(float width, float height) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {width, height};
  io.DeltaTime = 1.0f / 60;
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;  // begin_frame() takes them
#endif
#if IMGUI_VERSION_NUM >= 18900
  io.ConfigInputTrickleEventQueue = false;
#else
  for (int key = 0; key < ImGuiKey_COUNT; ++key) io.KeyMap[key] = key;
#endif
}

// ImGui::NewFrame(), after the textures that the last frame wanted "are made".
inline void begin_frame() {
#if IMGUI_VERSION_NUM >= 19200
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    if (texture->Status == ImTextureStatus_WantDestroy) {
      texture->SetStatus(ImTextureStatus_Destroyed);
    } else if (texture->Status != ImTextureStatus_Destroyed) {
      texture->SetStatus(ImTextureStatus_OK);
    }
  }
#endif
  ImGui::NewFrame();
}

inline void press_key(ImGuiKey key, bool down) {
#if IMGUI_VERSION_NUM >= 18900
  ImGui::GetIO().AddKeyEvent(key, down);
#else
  ImGui::GetIO().KeysDown[key] = down;
#endif
}

inline void hold_ctrl(bool down) {
#if IMGUI_VERSION_NUM >= 18900
  press_key(ImGuiMod_Ctrl, down);
#else
  ImGui::GetIO().KeyCtrl = down;
#endif
}

inline void hold_shift(bool down) {
#if IMGUI_VERSION_NUM >= 18900
  press_key(ImGuiMod_Shift, down);
#else
  ImGui::GetIO().KeyShift = down;
#endif
}

// The glyph that the font itself has at its size, or nullptr.
inline const ImFontGlyph* glyph_of(ImFont& font, ImWchar character) {
#if IMGUI_VERSION_NUM >= 19200
  return font.GetFontBaked(font.LegacySize)->FindGlyphNoFallback(character);
#else
  return font.FindGlyphNoFallback(character);
#endif
}

// The glyph that stands for the character, which may be that of "missing".
inline const ImFontGlyph* shown_glyph_of(ImFont& font, ImWchar character) {
#if IMGUI_VERSION_NUM >= 19200
  return font.GetFontBaked(font.LegacySize)->FindGlyph(character);
#else
  return font.FindGlyph(character);
#endif
}

inline int texture_area(const ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19200
  return atlas.TexData->Width * atlas.TexData->Height;
#else
  return atlas.TexWidth * atlas.TexHeight;
#endif
}

}  // namespace dlview::testing
