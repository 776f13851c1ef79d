#include "app/imgui_events.h"

#include <array>
#include <cfloat>
#include <utility>

#define GLFW_INCLUDE_NONE  // for the key codes alone
#include <GLFW/glfw3.h>
#include <imgui.h>

namespace dlview::app::imgui_events {
namespace {

#if IMGUI_VERSION_NUM >= 18900
constexpr ImGuiKey kKeypadEnter = ImGuiKey_KeypadEnter;
#else
constexpr ImGuiKey kKeypadEnter = ImGuiKey_KeyPadEnter;
#endif

// clang-format off
constexpr std::array<std::pair<ImGuiKey, int>, 22> kKeys{{
    {ImGuiKey_Tab, GLFW_KEY_TAB},           {ImGuiKey_LeftArrow, GLFW_KEY_LEFT},
    {ImGuiKey_RightArrow, GLFW_KEY_RIGHT},  {ImGuiKey_UpArrow, GLFW_KEY_UP},
    {ImGuiKey_DownArrow, GLFW_KEY_DOWN},    {ImGuiKey_PageUp, GLFW_KEY_PAGE_UP},
    {ImGuiKey_PageDown, GLFW_KEY_PAGE_DOWN}, {ImGuiKey_Home, GLFW_KEY_HOME},
    {ImGuiKey_End, GLFW_KEY_END},           {ImGuiKey_Insert, GLFW_KEY_INSERT},
    {ImGuiKey_Delete, GLFW_KEY_DELETE},     {ImGuiKey_Backspace, GLFW_KEY_BACKSPACE},
    {ImGuiKey_Space, GLFW_KEY_SPACE},       {ImGuiKey_Enter, GLFW_KEY_ENTER},
    {ImGuiKey_Escape, GLFW_KEY_ESCAPE},     {kKeypadEnter, GLFW_KEY_KP_ENTER},
    {ImGuiKey_A, GLFW_KEY_A},               {ImGuiKey_C, GLFW_KEY_C},
    {ImGuiKey_V, GLFW_KEY_V},               {ImGuiKey_X, GLFW_KEY_X},
    {ImGuiKey_Y, GLFW_KEY_Y},               {ImGuiKey_Z, GLFW_KEY_Z},
}};
// clang-format on

ImVec2 position_or_none(float x, float y) {
  return x < 0 && y < 0 ? ImVec2(-FLT_MAX, -FLT_MAX) : ImVec2(x, y);
}

}  // namespace

#if IMGUI_VERSION_NUM >= 18900

// ImGuiInput deals out the events; a second queue that did so would delay them.
void describe_keys(ImGuiIO& io) {
  io.ConfigInputTrickleEventQueue = false;
}

void mouse_position(ImGuiIO& io, float x, float y) {
  const ImVec2 position = position_or_none(x, y);
  io.AddMousePosEvent(position.x, position.y);
}

void mouse_button(ImGuiIO& io, int button, bool down) {
  if (button < ImGuiMouseButton_COUNT) io.AddMouseButtonEvent(button, down);
}

void mouse_wheel(ImGuiIO& io, float x, float y) {
  io.AddMouseWheelEvent(x, y);
}

void key(ImGuiIO& io, int key, bool down, const Modifiers& modifiers) {
  io.AddKeyEvent(ImGuiMod_Ctrl, modifiers.ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, modifiers.shift);
  io.AddKeyEvent(ImGuiMod_Alt, modifiers.alt);
  io.AddKeyEvent(ImGuiMod_Super, modifiers.super);
  for (const auto& [imgui_key, code] : kKeys) {
    if (code == key) io.AddKeyEvent(imgui_key, down);
  }
}

#else

void describe_keys(ImGuiIO& io) {
  for (const auto& [imgui_key, code] : kKeys) io.KeyMap[imgui_key] = code;
}

void mouse_position(ImGuiIO& io, float x, float y) {
  io.MousePos = position_or_none(x, y);
}

void mouse_button(ImGuiIO& io, int button, bool down) {
  if (button < ImGuiMouseButton_COUNT) io.MouseDown[button] = down;
}

void mouse_wheel(ImGuiIO& io, float x, float y) {
  io.MouseWheelH += x;
  io.MouseWheel += y;
}

void key(ImGuiIO& io, int key, bool down, const Modifiers& modifiers) {
  io.KeysDown[key] = down;
  io.KeyCtrl = modifiers.ctrl;
  io.KeyShift = modifiers.shift;
  io.KeyAlt = modifiers.alt;
  io.KeySuper = modifiers.super;
}

#endif

}  // namespace dlview::app::imgui_events
