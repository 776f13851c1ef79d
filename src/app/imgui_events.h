// The few calls by which Dear ImGui takes input. Their names depend on its version: the fields of
// ImGuiIO up to 1.88, its event queue from 1.89 on.
#pragma once

struct ImGuiIO;

namespace dlview::app::imgui_events {

struct Modifiers {
  bool ctrl = false, shift = false, alt = false, super = false;
};

// Call once per context: tells which GLFW key codes move a text cursor, copy, paste and so on.
void describe_keys(ImGuiIO& io);

// Framebuffer pixels; both negative = outside the window.
void mouse_position(ImGuiIO& io, float x, float y);
void mouse_button(ImGuiIO& io, int button, bool down);
void mouse_wheel(ImGuiIO& io, float x, float y);
// `key` is a GLFW key code below 512.
void key(ImGuiIO& io, int key, bool down, const Modifiers& modifiers);

}  // namespace dlview::app::imgui_events
