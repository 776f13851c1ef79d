// Filled axis-aligned rectangles, many at once: one instanced draw call with the program of
// shaders/rectangles.{vert,frag}. Coordinates are framebuffer pixels, origin at the top left.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace dlview::render {

// Layout is the instance buffer's: 4 floats and one color, 0xAABBGGRR as Dear ImGui packs it.
struct Rectangle {
  float left = 0, top = 0, right = 0, bottom = 0;
  uint32_t color = 0;
};
static_assert(sizeof(Rectangle) == 20);

struct PixelRect {
  int left = 0, top = 0, right = 0, bottom = 0;
};

class RectangleRenderer {
 public:
  // Needs a current OpenGL 3.3 context, which must also be current at destruction.
  RectangleRenderer();
  ~RectangleRenderer();
  RectangleRenderer(const RectangleRenderer&) = delete;
  RectangleRenderer& operator=(const RectangleRenderer&) = delete;

  // Draws into the bound framebuffer of the given size, only inside `clip`. Leaves GL state dirty;
  // inside an ImGui callback follow it with ImDrawCallback_ResetRenderState.
  void draw(std::span<const Rectangle> rectangles, int framebuffer_width, int framebuffer_height,
            const PixelRect& clip);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dlview::render
