#include "ui/table/column_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dlview::ui {
namespace {

using Placed = ColumnLayout::Placed;

constexpr float kNarrowest = 28;
constexpr float kMostFrozen = 0.6f;  // of the width of the table

// With the gaps between them.
float width_of(std::span<const Placed> columns, float gap) {
  float width = 0;
  for (const Placed& placed : columns) width += placed.width + gap;
  return std::max(0.0f, width - gap);
}

// How many of the columns fit whole, at least one.
std::size_t count_fitting(std::span<const Placed> columns, float room, float gap) {
  std::size_t count = 1;
  while (count < columns.size() && width_of(columns.first(count + 1), gap) <= room) ++count;
  return std::min(count, columns.size());
}

// The first column from which on all of them fit.
std::size_t last_first(std::span<const Placed> columns, float room, float gap) {
  std::size_t first = columns.size() - 1;
  while (first > 0 && width_of(columns.subspan(first - 1), gap) <= room) --first;
  return first;
}

}  // namespace

std::size_t frozen_column(const TableLook& look) {
  const auto find = [&](const auto& passes) {
    const auto found = std::ranges::find_if(look.columns, passes);
    return found == look.columns.end() ? kNoColumn
                                       : static_cast<std::size_t>(found - look.columns.begin());
  };
  if (!look.frozen.empty()) {
    return find([&](const ColumnLook& column) { return column.id == look.frozen; });
  }
  const std::size_t names = find([](const ColumnLook& column) { return column.code; });
  if (names != kNoColumn) return names;
  return find([&](const ColumnLook& column) { return column.id == look.key.text(); });
}

ColumnLayout::ColumnLayout(const std::vector<ColumnLook>& looks, std::size_t frozen)
    : order_(looks.size()), frozen_(frozen) {
  for (const ColumnLook& look : looks) {
    columns_.push_back({.first_width = look.width,
                        .share = look.share,
                        .shown = look.shown,
                        .is_picture = look.sparkline});
  }
  reset();
}

void ColumnLayout::reset() {
  for (Column& column : columns_) {
    column.width = column.first_width;
    column.is_by_hand = false;
    column.chosen.reset();
  }
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (frozen_ == kNoColumn) return;
  const auto at = order_.begin() + static_cast<std::ptrdiff_t>(frozen_);
  std::rotate(order_.begin(), at, at + 1);
}

bool ColumnLayout::is_shown(std::size_t column) const {
  const Column& known = columns_[column];
  return known.chosen.value_or(known.shown && !known.is_constant);
}

bool ColumnLayout::is_hidden_as_constant(std::size_t column) const {
  const Column& known = columns_[column];
  return !known.chosen && known.shown && known.is_constant;
}

void ColumnLayout::show(std::size_t column, bool shown) {
  const auto count = std::ranges::count_if(
      order_, [this](std::size_t other) { return is_shown(other) && columns_[other].applies; });
  if (!shown && count <= 1) return;
  columns_[column].chosen = shown;
}

void ColumnLayout::set_width(std::size_t column, float width) {
  columns_[column].width = std::max(kNarrowest, width);
  columns_[column].is_by_hand = true;
}

void ColumnLayout::move(std::size_t column, std::size_t place) {
  if (column == frozen_) return;
  if (frozen_ != kNoColumn) place = std::max<std::size_t>(place, 1);
  const auto from = std::ranges::find(order_, column);
  const auto at = static_cast<std::size_t>(from - order_.begin());
  const auto to = order_.begin() + static_cast<std::ptrdiff_t>(std::min(place, order_.size()));
  if (at < place) {
    std::rotate(from, from + 1, to);
  } else {
    std::rotate(to, from, from + 1);
  }
}

// Returns how much wider the columns with a share would have to be for all their texts.
float ColumnLayout::lacking(std::span<const Placed> placed, float scale) const {
  float more = 0;
  for (const Placed& one : placed) {
    const Column& column = columns_[one.column];
    if (column.share <= 0 || column.is_by_hand) continue;
    more += std::max(0.0f, std::ceil(column.content * scale) - one.width);
  }
  return more;
}

// Narrows columns to what they need, as far as others lack more than `spare`.
void ColumnLayout::make_room(std::span<Placed> placed, float spare, float scale) const {
  const auto unused = [&](const Placed& one) {
    const Column& column = columns_[one.column];
    if (column.share > 0 || column.is_by_hand || column.need <= 0) return 0.0f;
    return std::max(0.0f, one.width - std::ceil(column.need * scale));
  };
  float all_unused = 0;
  for (const Placed& one : placed) all_unused += unused(one);
  const float wanted = std::min(lacking(placed, scale) - spare, all_unused);
  if (wanted <= 0) return;
  for (Placed& one : placed) one.width -= std::floor(wanted * unused(one) / all_unused);
}

// Gives the columns with a share what they can use. Returns what is left.
float ColumnLayout::grow_shares(std::span<Placed> placed, float spare, float scale) const {
  float shares = 0;
  for (const Placed& one : placed) {
    if (!columns_[one.column].is_by_hand) shares += columns_[one.column].share;
  }
  float rest = spare;
  for (Placed& one : placed) {
    const Column& column = columns_[one.column];
    if (column.share <= 0 || column.is_by_hand) continue;
    const float most =
        column.content > 0 ? std::max(0.0f, std::ceil(column.content * scale) - one.width) : spare;
    const float more = std::min(most, std::floor(spare * column.share / shares));
    one.width += more;
    rest -= more;
  }
  return rest;
}

void ColumnLayout::spread(std::span<Placed> placed, float spare) const {
  float widths = 0;
  for (const Placed& one : placed) {
    if (!columns_[one.column].is_by_hand) widths += one.width;
  }
  if (widths <= 0) return;
  for (Placed& one : placed) {
    if (columns_[one.column].is_by_hand) continue;
    const float more = std::floor(spare * one.width / widths);
    spare -= more;
    widths -= one.width;
    one.width += more;
  }
}

void ColumnLayout::fill(std::span<Placed> placed, float spare, float scale) const {
  // Once more for what a column did not use of its share.
  spare = grow_shares(placed, spare, scale);
  spare = grow_shares(placed, spare, scale);
  spread(placed, spare);
}

void ColumnLayout::place_scrolled(Placement& placement, std::vector<Placed> all, float available,
                                  float scale, float gap, float scroll) const {
  placement.is_frozen = all.front().column == frozen_;
  const std::size_t stays = placement.is_frozen ? 1 : 0;
  float room = available;
  if (placement.is_frozen) {
    const float most = std::max(1.0f, std::floor(available * kMostFrozen));
    all.front().width = std::min(all.front().width, most);
    room -= all.front().width + gap;
  }
  const std::span<Placed> others = std::span(all).subspan(stays);
  for (Placed& one : others) one.width = std::max(1.0f, std::min(one.width, room));
  // The names take what the first columns leave, and keep it while the others scroll.
  if (placement.is_frozen) {
    const float widest = std::ranges::max(others, {}, &Placed::width).width;
    const float spare = std::max(
        0.0f,
        room - std::max(widest, width_of(others.first(count_fitting(others, room, gap)), gap)));
    room -= spare - grow_shares(std::span(all).first(1), spare, scale);
  }
  const std::size_t last = last_first(others, room, gap);
  float offset = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    placement.stops.push_back(offset);
    offset += others[i].width + gap;
  }
  const auto nearest = std::ranges::min_element(
      placement.stops, {}, [scroll](float stop) { return std::fabs(stop - scroll); });
  const auto first = static_cast<std::size_t>(nearest - placement.stops.begin());
  const std::size_t count = count_fitting(others.subspan(first), room, gap);
  const std::span<Placed> in_view = others.subspan(first, count);
  placement.before = first;
  placement.after = others.size() - first - count;
  fill(in_view, std::max(0.0f, room - width_of(in_view, gap)), scale);
  if (placement.is_frozen) placement.columns.push_back(all.front());
  placement.columns.insert(placement.columns.end(), in_view.begin(), in_view.end());
}

ColumnLayout::Placement ColumnLayout::place(float available, float scale, float gap,
                                            float scroll) const {
  std::vector<Placed> all;
  for (const std::size_t index : order_) {
    if (is_shown(index) && columns_[index].applies)
      all.push_back({index, 0, std::round(columns_[index].width * scale)});
  }
  Placement placement;
  const float spare = available - width_of(all, gap);
  if (spare >= 0 || all.size() == 1) {
    if (all.size() == 1) all.front().width = std::max(1.0f, std::min(all.front().width, available));
    make_room(all, std::max(0.0f, spare), scale);
    fill(all, std::max(0.0f, available - width_of(all, gap)), scale);
    placement.columns = std::move(all);
  } else {
    place_scrolled(placement, std::move(all), available, scale, gap, scroll);
  }
  float x = 0;
  for (Placed& placed : placement.columns) {
    placed.left = x;
    x = placed.right() + gap;
  }
  placement.width = std::max(0.0f, x - gap);
  return placement;
}

}  // namespace dlview::ui
