#include "app/imgui_setup.h"

#include <backends/imgui_impl_opengl3.h>
#include <dlfcn.h>

#include <glad/gl.h>
#include <imgui.h>

#include "app/imgui_events.h"

namespace dlview::app {

ImGuiSetup::ImGuiSetup() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigInputTextCursorBlink = false;
  io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
  io.BackendPlatformName = "dlview";
  imgui_events::describe_keys(io);
#if IMGUI_VERSION_NUM >= 19200
  // Its renderer looks functions up once, and closes their library with the first renderer.
  dlopen("libOpenGL.so.0", RTLD_LAZY | RTLD_LOCAL);
#endif
  ImGui_ImplOpenGL3_Init("#version 330 core");
}

ImGuiSetup::~ImGuiSetup() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}

void ImGuiSetup::remake_font_texture() {
  if (!has_begun_a_frame_) return;  // the first frame makes it
#if IMGUI_VERSION_NUM < 19200       // later ones update their textures themselves
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

void ImGuiSetup::begin_frame(int width, int height, float seconds) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
  io.DisplayFramebufferScale = ImVec2(1, 1);
  io.DeltaTime = seconds;
  ImGui_ImplOpenGL3_NewFrame();
  has_begun_a_frame_ = true;
  ImGui::NewFrame();
}

void ImGuiSetup::draw(unsigned background) {
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(background);
  glDisable(GL_SCISSOR_TEST);
  glClearColor(color.x, color.y, color.z, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace dlview::app
