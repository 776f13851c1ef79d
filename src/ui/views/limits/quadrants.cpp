#include "ui/views/limits/quadrants.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::ui {
namespace {

constexpr float kLeft = 30, kBottom = 30, kTop = 4, kRight = 12;
constexpr float kCornerInset = 6;

float at_percent(double percent, double top, float low, float high) {
  return low + static_cast<float>(percent / top) * (high - low);
}

}  // namespace

Box quadrant_plot(const Frame& frame, const Box& box) {
  const Box room{box.left + frame.px(kLeft), box.top + frame.px(kTop), box.right - frame.px(kRight),
                 box.bottom - frame.px(kBottom)};
  const float size = std::floor(std::min(room.width(), room.height()));
  // In the middle of what is wider.
  const float left = std::round(room.left + std::max(0.0f, room.width() - size) / 2);
  return {left, room.top, left + size, room.top + size};
}

std::vector<PlacedMark> place_quadrant_marks(const report::Quadrants& quadrants, const Box& plot,
                                             float scale) {
  std::vector<PlacedMark> placed;
  for (const report::QuadrantMark& mark : quadrants.marks) {
    const double x = std::clamp(mark.compute, 0.0, quadrants.top);
    const double y = std::clamp(mark.memory, 0.0, quadrants.top);
    placed.push_back({mark.row,
                      at_percent(x, quadrants.top, plot.left, plot.right),
                      at_percent(y, quadrants.top, plot.bottom, plot.top),
                      mark.radius * scale * 0.75f,
                      {mark.verdict.limit, mark.origin, mark.verdict.is_near,
                       std::max(mark.compute, mark.memory) > quadrants.top}});
  }
  return placed;
}

PlotGesture QuadrantChart::draw(Frame& frame, const Box& box, const LimitData& data,
                                const report::Quadrants& quadrants, report::LimitRule rule,
                                const PlotSelection& selection) {
  PlotGesture gesture;
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const Box plot = quadrant_plot(frame, box);
  if (plot.width() < frame.px(50)) return gesture;
  const Hit hit = hit_area(frame, "limits/quadrants", plot, Reach::chart);
  const auto x_at = [&](double percent) {
    return std::round(at_percent(percent, quadrants.top, plot.left, plot.right));
  };
  const auto y_at = [&](double percent) {
    return std::round(at_percent(percent, quadrants.top, plot.bottom, plot.top));
  };
  outline(plot, colors.line);
  const double threshold = quadrants.threshold;
  fill({x_at(threshold), plot.top, x_at(threshold) + 1, plot.bottom}, colors.faint);
  fill({plot.left, y_at(threshold), plot.right, y_at(threshold) + 1}, colors.faint);
  for (const double percent : {0.0, 50.0, 100.0, threshold}) {
    const std::string label = fmt::format("{:g}", percent);
    const float width = text_width(font, label);
    draw_text(font, x_at(percent) - width / 2, plot.bottom + frame.px(3), colors.dim, label);
    draw_text_right(font, plot.left - frame.px(5), y_at(percent) - line_height(font) / 2,
                    colors.dim, label);
  }
  const std::string x_title = plot.width() < frame.px(150) ? "math %" : "% of the math peak";
  draw_text_right(font, plot.right, plot.bottom + frame.px(3) + line_height(font), colors.dim,
                  x_title);
  draw_text(font, plot.right + frame.px(6), plot.top, colors.dim,
            plot.right + frame.px(70) < box.right ? "↑ memory %" : "");
  const auto placed = place_quadrant_marks(quadrants, plot, frame.look.scale);
  const float reach = frame.px(report::kMostRadius);  // marks at the edges stay whole
  ImGui::PushClipRect({plot.left - reach, plot.top - reach},
                      {plot.right + reach, plot.bottom + reach}, true);
  draw_marks(frame, placed, selection);
  ImGui::PopClipRect();
  // Over the marks, which may be thousands.
  const float inset = frame.px(kCornerInset), height = line_height(font);
  const auto corner = [&](std::string_view word, bool right, bool top) {
    const float left = right ? plot.right - inset - text_width(font, word) : plot.left + inset;
    draw_text_on_plate(frame, font, left,
                       top ? plot.top + inset - 2 : plot.bottom - inset - height + 2, colors.dim,
                       word);
  };
  corner("memory", false, true);
  corner("both", true, true);
  corner("neither", false, false);
  corner("math", true, false);
  if (placed.empty()) {
    const std::string_view why = "No row has both shares.";
    draw_text_on_plate(frame, font, plot.left + (plot.width() - text_width(font, why)) / 2,
                       plot.top + (plot.height() - height) / 2, colors.dim, why);
  }
  frame.inspector.record_value("limits/quadrants/marks", std::to_string(placed.size()));

  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (hovered(plot)) gesture.hovered = mark_at(placed, mouse.x, mouse.y, frame.px(2));
  if (hit.clicked && hovered(plot) && ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
    gesture.clicked = gesture.hovered;
    gesture.adds = ImGui::GetIO().KeyCtrl;
    gesture.deselects = !gesture.clicked && !gesture.adds;
  }
  if (const auto boxed = box_select_.draw(frame, plot)) gesture.boxed = marks_in(placed, *boxed);
  if (hit.has_ring) {
    gesture.walks += pressed(ImGuiKey_DownArrow) || pressed(ImGuiKey_RightArrow) ? 1 : 0;
    gesture.walks -= pressed(ImGuiKey_UpArrow) || pressed(ImGuiKey_LeftArrow) ? 1 : 0;
    gesture.opens = pressed(ImGuiKey_Enter);
  }
  if (gesture.hovered && !box_select_.is_dragged()) {
    explain_mark(frame, data.rows()[*gesture.hovered], rule);
  }
  return gesture;
}

}  // namespace dlview::ui
