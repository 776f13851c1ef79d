#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/tree_chart.h"
#include "ui/text.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/focus.h"

namespace dlview::ui {
namespace {

constexpr float kLeastRing = 9, kMostRing = 44, kLeastCenter = 40;
constexpr float kPathList = 280;  // beside a sunburst, at least
constexpr float kMostPathList = 640, kListName = 18, kListShare = 60, kListValue = 80;
constexpr float kArcStep = 0.05f;  // radians between the points of an arc

// The first ring begins at the top; clockwise.
float angle_of(double place) {
  return static_cast<float>((place * 2 - 0.5) * std::numbers::pi);
}

int arc_steps(float from, float to) {
  return std::max(1, static_cast<int>(std::ceil((to - from) / kArcStep)));
}

}  // namespace

// As wide as the levels that there are, so the second layout follows from those of the first.
void TreeChart::lay_out_rings(const Frame& frame, const Box& box) {
  const float radius = std::min(box.width(), box.height()) / 2 - frame.px(2);
  rings_ = {std::round(box.left + radius + frame.px(2)), std::round((box.top + box.bottom) / 2)};
  rings_.center = std::max(frame.px(kLeastCenter), radius * 0.2f);
  const float room = std::max(0.0f, radius - rings_.center);
  const auto most = static_cast<uint32_t>(room / frame.px(kLeastRing)) + 1;
  rings_.levels = std::max(2u, options_.levels == 0 ? most : std::min(options_.levels, most));
  const auto fit = [&](uint32_t levels) {
    const auto rings = static_cast<float>(std::max(levels, 2u) - 1);
    rings_.ring = std::min(frame.px(kMostRing), room / rings);
    lay_out(frame, radius, rings_.levels);
  };
  fit(rings_.levels);
  if (level_count() < rings_.levels) fit(level_count());
}

// As draw_icicle_level() does.
void TreeChart::draw_rings(const Frame& frame) const {
  const Palette& colors = frame.palette();
  for (std::size_t i = 1; i < parts_.size();) {
    const uint32_t level = parts_[i].level;
    const double radius = rings_.inner(level) + rings_.ring / 2;
    const double pixel = 1 / (2 * std::numbers::pi * radius);
    const double thin = static_cast<double>(frame.px(kHairline)) * pixel;
    if (parts_[i].last - parts_[i].first >= thin) {
      draw_ring_part(frame, i++);
      continue;
    }
    const double first = parts_[i].first;
    double last = first;
    bool has_hit = false;
    for (; i < parts_.size() && parts_[i].level == level; ++i) {
      const TreePart& part = parts_[i];
      if (part.last - part.first >= thin || part.first > last + pixel) break;
      last = part.last;
      has_hit = has_hit || (!hits_.empty() && is_hit(i));
    }
    fill_arc(level, first, std::max(last, first + pixel),
             has_hit ? colors.dim : faded(colors, colors.dim));
  }
}

// Of the whole ring but the gap to the next one. Places are 0..1.
void TreeChart::fill_arc(uint32_t level, double first, double last, Color color) const {
  const float from = angle_of(first), to = angle_of(last);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PathArcTo({rings_.x, rings_.y}, rings_.inner(level) + rings_.ring / 2, from, to,
                 arc_steps(from, to));
  list.PathStroke(color, 0, rings_.ring - 1);
}

void TreeChart::draw_ring_part(const Frame& frame, std::size_t index) const {
  const Palette& colors = frame.palette();
  const TreePart& part = parts_[index];
  Color color = color_of(frame, part);
  if (!is_hit(index)) color = faded(colors, color);
  if (part.folded == 0 && hovered_ == part.node) color = mix(color, colors.text, 0.2f);
  const float inner = rings_.inner(part.level), outer = inner + rings_.ring - 1;
  const double gap = 1 / (2 * std::numbers::pi * static_cast<double>(inner + rings_.ring / 2));
  fill_arc(part.level, part.first, part.last - gap, color);
  const bool is_selected = part.folded == 0 && selected_ == part.node;
  const bool is_found = !hits_.empty() && is_hit(index);
  if (!is_selected && !is_found) return;
  // Along the inner edge and back along the outer one.
  const float from = angle_of(part.first), to = angle_of(part.last - gap);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PathArcTo({rings_.x, rings_.y}, inner + 1, from, to, arc_steps(from, to));
  list.PathArcTo({rings_.x, rings_.y}, outer - 1, to, from, arc_steps(from, to));
  list.PathStroke(is_selected ? colors.bound : colors.accent, ImDrawFlags_Closed,
                  frame.px(is_selected ? 2 : 1));
}

void TreeChart::draw_sunburst(Frame& frame, const Box& box) {
  const bool has_list = box.width() > box.height() + frame.px(kPathList);
  const Box circle{box.left, box.top + frame.px(2), has_list ? box.left + box.height() : box.right,
                   box.bottom};
  lay_out_rings(frame, circle);
  const Hit hit = hit_area(frame, name_, circle, Reach::chart);
  const TreePart* pointed = nullptr;
  if (hit.hovered && !parts_.empty()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float dx = mouse.x - rings_.x, dy = mouse.y - rings_.y;
    const float radius = std::hypot(dx, dy);
    if (radius < rings_.center) {
      pointed = &parts_[0];
    } else {
      const auto level = static_cast<uint32_t>((radius - rings_.center) / rings_.ring) + 1;
      const double turn = static_cast<double>(std::atan2(dy, dx)) / (2 * std::numbers::pi) + 0.25;
      pointed = part_at(parts_, level, turn < 0 ? turn + 1 : turn);
    }
  }
  const bool is_lit = pointed != nullptr && pointed->level == 0 && root_ != ValueTree::kTop;
  take_mouse(frame, hit, pointed, circle);
  take_keys(frame, hit);
  lay_out_rings(frame, circle);  // of another root
  const Palette& colors = frame.palette();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_rings(frame);
  if (!parts_.empty()) {
    Color color = color_of(frame, parts_[0]);
    if (is_lit) color = mix(color, colors.text, 0.2f);
    list.AddCircleFilled({rings_.x, rings_.y}, rings_.center - 2, color, 96);
    const std::string value = content_->value_text(parts_[0].value);
    const ImFont* font = frame.fonts().strong;
    draw_text_in(font,
                 {rings_.x - rings_.center, rings_.y - rings_.center, rings_.x + rings_.center,
                  rings_.y + rings_.center},
                 text_on(color), value, true);
  }
  reveals_ = false;
  if (!has_list || parts_.empty()) return;
  const uint32_t node = hovered_ ? *hovered_ : selected_ ? *selected_ : root_;
  const float left = circle.right + frame.px(24);
  const float right = std::min(box.right, left + frame.px(kMostPathList));
  draw_path_list(frame, {left, box.top, right, box.bottom}, node);
}

// The nodes around it, the outermost of which give way, the node, and the largest ones in it.
void TreeChart::draw_path_list(Frame& frame, const Box& box, uint32_t node) const {
  const ImFont* font = frame.fonts().mono;
  const float height = frame.px(kBoxHeight);
  const auto rows = static_cast<std::size_t>(std::max(3.0f, std::floor(box.height() / height)));
  std::vector<uint32_t> path = content_->tree.path(node);
  path.insert(path.begin(), ValueTree::kTop);
  const std::size_t most = std::max<std::size_t>(3, rows / 2);
  const std::size_t left_out = path.size() > most ? path.size() - most + 1 : 0;
  float y = box.top;
  const auto next_row = [&] {
    y += height;
    return Box{box.left, y - height, box.right, y};
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i == 0 || i > left_out) {
      draw_list_row(frame, next_row(), path[i], i + 1 == path.size());
    } else if (i == 1) {
      Box row = next_row();
      row.left += frame.px(kListName);
      draw_text_in(
          font, row, frame.palette().faint,
          fmt::format("… {}", base::counted(static_cast<int64_t>(left_out), content_->noun)));
    }
  }
  for (const uint32_t child : content_->tree.children(node)) {
    if (y + height > box.bottom || content_->tree.value(child) == 0) break;
    Box row = next_row();
    row.left += frame.px(kListName);
    draw_list_row(frame, row, child, false);
  }
  frame.inspector.record_value(name_ + "/pointed", name_of(node));
}

void TreeChart::draw_list_row(Frame& frame, const Box& row, uint32_t node, bool is_node) const {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().mono;
  const ImFont* figures = frame.fonts().text;
  const float swatch = frame.px(10), inset = std::round((row.height() - swatch) / 2);
  const Color color =
      node == ValueTree::kTop ? colors.raised : tree_color(colors, content_->color(colors, node));
  fill({row.left, row.top + inset, row.left + swatch, row.top + inset + swatch}, color,
       frame.px(2));
  const float left = row.left + frame.px(kListName);
  const float value_right = row.right - frame.px(kListShare);
  const int64_t value = content_->tree.value(node);
  draw_text_cut(frame, font, left, row.top + (row.height() - font_size(font)) / 2,
                value_right - frame.px(kListValue) - left, is_node ? colors.text : colors.dim,
                name_of(node), content_->cut);
  const float top = row.top + (row.height() - font_size(figures)) / 2;
  draw_text_right(figures, value_right, top, colors.text, content_->value_text(value));
  draw_text_right(figures, row.right, top, colors.dim, share_text(value, ValueTree::kTop));
}

}  // namespace dlview::ui
