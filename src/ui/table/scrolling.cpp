#include "ui/table/scrolling.h"

#include <algorithm>
#include <cmath>

namespace dlview::ui {
namespace {

constexpr float kShortestThumb = 28;

Box thumb_box(const Frame& frame, const Box& trough, ScrollAxis axis, const Thumb& thumb) {
  const float near = frame.px(2);
  const float far = frame.px(1);
  if (axis == ScrollAxis::down) {
    const float top = trough.top + thumb.offset;
    return {trough.left + near, top, trough.right - far, top + thumb.length};
  }
  const float left = trough.left + thumb.offset;
  return {left, trough.top + near, left + thumb.length, trough.bottom - far};
}

}  // namespace

void RowPositions::set_extra(std::size_t row, float pixels) {
  if (row >= count_) return;
  if (pixels > 0) {
    extra_[row] = pixels;
  } else {
    extra_.erase(row);
  }
}

float RowPositions::height_of(std::size_t row) const {
  const auto found = extra_.find(row);
  return row_height_ + (found == extra_.end() ? 0 : found->second);
}

double RowPositions::top_of(std::size_t row) const {
  double top = static_cast<double>(row) * static_cast<double>(row_height_);
  for (const auto& [opened, extra] : extra_) {
    if (opened >= row) break;
    top += static_cast<double>(extra);
  }
  return top;
}

std::size_t RowPositions::row_at(double y) const {
  const auto height = static_cast<double>(row_height_);
  double above = 0;  // extra pixels of the opened rows above
  for (const auto& [opened, extra] : extra_) {
    const double bottom =
        static_cast<double>(opened + 1) * height + above + static_cast<double>(extra);
    if (y < bottom) {
      const double top = static_cast<double>(opened) * height + above;
      if (y >= top) return opened;
      break;
    }
    above += static_cast<double>(extra);
  }
  const double row = std::floor((y - above) / height);
  return static_cast<std::size_t>(std::clamp(row, 0.0, static_cast<double>(count_ - 1)));
}

double clamped_scroll(double scroll, double total, double view) {
  return std::clamp(scroll, 0.0, std::max(0.0, total - view));
}

double scrolled_to_row(const RowPositions& positions, std::size_t row, double scroll, double view) {
  const double top = positions.top_of(row);
  const double bottom = top + static_cast<double>(positions.height_of(row));
  if (bottom > scroll + view) scroll = bottom - view;
  if (top < scroll) scroll = top;
  return clamped_scroll(scroll, positions.total(), view);
}

Thumb place_thumb(double scroll, double total, double view, float length, float shortest) {
  if (total <= view || length <= 0) return {};
  const float share = static_cast<float>(view / total);
  const float thumb = std::min(length, std::max(shortest, length * share));
  const auto at = static_cast<float>(scroll / (total - view));
  return {at * (length - thumb), thumb};
}

double scroll_of_thumb(float offset, double total, double view, float length, float thumb_length) {
  if (length <= thumb_length) return 0;
  const double at = static_cast<double>(offset) / static_cast<double>(length - thumb_length);
  return clamped_scroll(at * (total - view), total, view);
}

double ScrollBar::draw(Frame& frame, std::string_view name, const Box& trough, ScrollAxis axis,
                       double scroll, double total, double view) {
  const bool down = axis == ScrollAxis::down;
  const float length = down ? trough.height() : trough.width();
  const Thumb thumb = place_thumb(scroll, total, view, length, frame.px(kShortestThumb));
  if (thumb.length == 0) return scroll;
  const Hit hit = hit_area(frame, name, trough, Reach::mouse);
  const ImVec2 at = ImGui::GetIO().MousePos;
  const float mouse = down ? at.y - trough.top : at.x - trough.left;
  if (hit.held && !grabbed_) {
    const bool on_thumb = mouse >= thumb.offset && mouse <= thumb.offset + thumb.length;
    grabbed_ = on_thumb ? mouse - thumb.offset : thumb.length / 2;
  }
  if (!hit.held) grabbed_.reset();
  const bool lit = hit.hovered || hit.held;
  fill(thumb_box(frame, trough, axis, thumb), lit ? frame.palette().dim : frame.palette().line,
       frame.px(3));
  return grabbed_ ? scroll_of_thumb(mouse - *grabbed_, total, view, length, thumb.length) : scroll;
}

}  // namespace dlview::ui
