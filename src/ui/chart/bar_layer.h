// BarLayer: puts prepared rectangles into a Dear ImGui window, drawn by render's own instanced
// program at their place in the draw order.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "render/rectangles.h"

struct ImDrawList;
struct ImDrawCmd;

namespace dlview::ui {

class BarLayer {
 public:
  BarLayer() = default;
  BarLayer(const BarLayer&) = delete;
  BarLayer& operator=(const BarLayer&) = delete;

  // Forgets the last frame's batches.
  void begin_frame() { batches_.clear(); }

  // Queues a draw call, clipped to the draw list's present clip rectangle.
  void add(ImDrawList& draw_list, std::vector<render::Rectangle> rectangles);
  // Those that a command of the frame draws; none where it draws something else.
  static std::span<const render::Rectangle> rectangles_of(const ImDrawCmd& command);

 private:
  struct Batch {
    BarLayer* layer;
    std::vector<render::Rectangle> rectangles;
  };
  static void draw_callback(const ImDrawList* list, const ImDrawCmd* command);

  std::deque<Batch> batches_;                            // callbacks point at its elements
  std::unique_ptr<render::RectangleRenderer> renderer_;  // made in the first draw: needs OpenGL
};

}  // namespace dlview::ui
