// ImGuiSetup: Dear ImGui and its OpenGL 3 renderer for the OpenGL context that is current, set
// up so that a picture depends on its input alone: no .ini file, no blinking, no window decoration.
#pragma once

namespace dlview::app {

class ImGuiSetup {
 public:
  ImGuiSetup();
  ~ImGuiSetup();
  ImGuiSetup(const ImGuiSetup&) = delete;
  ImGuiSetup& operator=(const ImGuiSetup&) = delete;

  // After the font atlas was baked anew, between two frames.
  void remake_font_texture();

  // Begins a frame for a framebuffer of this size, `seconds` after the last one.
  void begin_frame(int width, int height, float seconds);
  // Draws the frame that was ended by ImGui::Render() into the bound framebuffer, on 0xAABBGGRR.
  void draw(unsigned background);

 private:
  bool has_begun_a_frame_ = false;
};

}  // namespace dlview::app
