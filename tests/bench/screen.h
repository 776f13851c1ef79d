// What a frame is built for: a screen that is never drawn.
#pragma once

#include "support/imgui_frames.h"
#include "ui/model.h"

namespace dlview::bench {

class Screen {
 public:
  Screen() : context_(ImGui::CreateContext()) { testing::set_up_frames(1920, 1080); }
  ~Screen() { ImGui::DestroyContext(context_); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

 private:
  ImGuiContext* context_;
};

}  // namespace dlview::bench
