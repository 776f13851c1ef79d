#include <cmath>

#include "ui/widgets/canvas.h"

namespace dlview::ui {
namespace {

void draw_info(ImDrawList& list, ImVec2 centre, float size, float line, Colour colour) {
  list.AddCircle(centre, size / 2, colour, 0, line);
  list.AddLine({centre.x, centre.y - size * 0.05f}, {centre.x, centre.y + size * 0.25f}, colour,
               line);
  list.AddCircleFilled({centre.x, centre.y - size * 0.22f}, line * 0.7f, colour);
}

void draw_sun(ImDrawList& list, ImVec2 centre, float size, float line, Colour colour) {
  list.AddCircle(centre, size * 0.22f, colour, 0, line);
  for (int ray = 0; ray < 8; ++ray) {
    const float angle = static_cast<float>(ray) * 3.14159265f / 4;
    const ImVec2 direction{std::cos(angle), std::sin(angle)};
    list.AddLine({centre.x + direction.x * size * 0.36f, centre.y + direction.y * size * 0.36f},
                 {centre.x + direction.x * size * 0.5f, centre.y + direction.y * size * 0.5f},
                 colour, line);
  }
}

// A crescent: the outer arc and back along an inner one.
void draw_moon(ImDrawList& list, ImVec2 centre, float size, float line, Colour colour) {
  const float radius = size * 0.42f;
  list.PathArcTo(centre, radius, 0.1f, 4.6f, 24);
  list.PathArcTo({centre.x + radius * 0.55f, centre.y - radius * 0.5f}, radius * 0.72f, 3.75f,
                 0.95f, 24);
  list.PathStroke(colour, ImDrawFlags_Closed, line);
}

}  // namespace

void draw_icon(Icon icon, float centre_x, float centre_y, float size, Colour colour) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 centre{std::round(centre_x), std::round(centre_y)};
  const float line = std::fmax(1.0f, size / 8);
  const float arm = size * 0.3f;
  switch (icon) {
    case Icon::check:
      list.PathLineTo({centre.x - arm, centre.y});
      list.PathLineTo({centre.x - arm * 0.25f, centre.y + arm * 0.75f});
      list.PathLineTo({centre.x + arm, centre.y - arm * 0.8f});
      list.PathStroke(colour, 0, line * 1.2f);
      return;
    case Icon::cross:
    case Icon::close:
      list.AddLine({centre.x - arm, centre.y - arm}, {centre.x + arm, centre.y + arm}, colour,
                   line * 1.2f);
      list.AddLine({centre.x - arm, centre.y + arm}, {centre.x + arm, centre.y - arm}, colour,
                   line * 1.2f);
      return;
    case Icon::info:
      draw_info(list, centre, size, line, colour);
      return;
    case Icon::up:
      list.AddTriangleFilled({centre.x - arm, centre.y + arm * 0.6f},
                             {centre.x + arm, centre.y + arm * 0.6f},
                             {centre.x, centre.y - arm * 0.6f}, colour);
      return;
    case Icon::down:
      list.AddTriangleFilled({centre.x - arm, centre.y - arm * 0.6f},
                             {centre.x, centre.y + arm * 0.6f},
                             {centre.x + arm, centre.y - arm * 0.6f}, colour);
      return;
    case Icon::right:
      list.AddTriangleFilled({centre.x - arm * 0.6f, centre.y - arm},
                             {centre.x - arm * 0.6f, centre.y + arm},
                             {centre.x + arm * 0.6f, centre.y}, colour);
      return;
    case Icon::sun:
      draw_sun(list, centre, size, line, colour);
      return;
    case Icon::moon:
      draw_moon(list, centre, size, line, colour);
      return;
  }
}

void draw_brand_mark(const Frame& frame, float left, float bottom) {
  const float width = frame.px(4);
  const float step = width + frame.px(2);
  const float heights[] = {7, 11, 15};
  const Tone tones[] = {Tone::tensor_core_kernels, Tone::other_kernels, Tone::memory};
  for (int bar = 0; bar < 3; ++bar) {
    const float x = left + static_cast<float>(bar) * step;
    fill({x, bottom - frame.px(heights[bar]), x + width, bottom}, frame.palette().tone(tones[bar]),
         frame.px(1));
  }
}

}  // namespace dlview::ui
