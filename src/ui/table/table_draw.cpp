#include "ui/table/table_draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dlview::ui {
namespace {

constexpr float kNarrowest = 28;

}  // namespace

ColumnLayout::ColumnLayout(const std::vector<ColumnLook>& looks) : order_(looks.size()) {
  for (const ColumnLook& look : looks) {
    columns_.push_back({look.width, look.share, look.shown, look.sparkline});
  }
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

void ColumnLayout::show(std::size_t column, bool shown) {
  const auto others = std::ranges::count_if(columns_, &Column::shown);
  if (!shown && others <= 1) return;
  columns_[column].shown = shown;
}

void ColumnLayout::set_width(std::size_t column, float width) {
  columns_[column].width = std::max(kNarrowest, width);
  columns_[column].share = 0;
}

void ColumnLayout::move(std::size_t column, std::size_t place) {
  const auto from = std::ranges::find(order_, column);
  const auto at = static_cast<std::size_t>(from - order_.begin());
  const auto to = order_.begin() + static_cast<std::ptrdiff_t>(std::min(place, order_.size()));
  if (at < place) {
    std::rotate(from, from + 1, to);
  } else {
    std::rotate(to, from, from + 1);
  }
}

ColumnLayout::Placement ColumnLayout::place(float available, float scale, float gap) const {
  Placement placement;
  float fixed = 0;
  float shares = 0;
  for (const std::size_t index : order_) {
    const Column& column = columns_[index];
    if (!column.shown || !column.applies) continue;
    placement.columns.push_back({index, 0, std::round(column.width * scale)});
    fixed += placement.columns.back().width + gap;
    shares += column.share;
  }
  const float spare = std::max(0.0f, available - (fixed - gap));
  float x = 0;
  for (Placed& placed : placement.columns) {
    placed.left = x;
    const float share = columns_[placed.column].share;
    if (share > 0) placed.width += std::floor(spare * share / shares);
    x = placed.right() + gap;
  }
  placement.width = std::max(0.0f, x - gap);
  return placement;
}

}  // namespace dlview::ui
