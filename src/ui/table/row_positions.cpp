#include "ui/table/row_positions.h"

#include <algorithm>
#include <cmath>

namespace dlview::ui {

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

}  // namespace dlview::ui
