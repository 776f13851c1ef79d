#include "ui/chart/bar_layer.h"

#include <utility>

#include <imgui.h>

namespace dlview::ui {

void BarLayer::add(ImDrawList& draw_list, std::vector<render::Rectangle> rectangles) {
  if (rectangles.empty()) return;
  batches_.push_back({this, std::move(rectangles)});
  draw_list.AddCallback(&BarLayer::draw_callback, &batches_.back());
  draw_list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

std::span<const render::Rectangle> BarLayer::rectangles_of(const ImDrawCmd& command) {
  if (command.UserCallback != &BarLayer::draw_callback) return {};
  return static_cast<const Batch*>(command.UserCallbackData)->rectangles;
}

void BarLayer::draw_callback(const ImDrawList*, const ImDrawCmd* command) {
  const auto& batch = *static_cast<const Batch*>(command->UserCallbackData);
  auto& renderer = batch.layer->renderer_;
  if (!renderer) renderer = std::make_unique<render::RectangleRenderer>();
  const ImDrawData& data = *ImGui::GetDrawData();
  const ImVec4& clip = command->ClipRect;
  renderer->draw(rectangles_of(*command), static_cast<int>(data.DisplaySize.x),
                 static_cast<int>(data.DisplaySize.y),
                 {static_cast<int>(clip.x), static_cast<int>(clip.y), static_cast<int>(clip.z),
                  static_cast<int>(clip.w)});
}

}  // namespace dlview::ui
