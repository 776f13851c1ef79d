#include "ui/views/timeline/layout.h"

#include <algorithm>
#include <tuple>

namespace dlview::ui {
namespace {

// The map stays as it is where there is room.
template <typename Map, typename Key>
auto& entry_of(Map& map, const Key& key) {
  const auto entry = map.find(&key);
  return entry != map.end() ? entry->second : map.try_emplace(&key).first->second;
}

}  // namespace

const TimelineRow* TimelineLayout::at(float y) const {
  const auto row = std::ranges::upper_bound(rows, y, {}, &TimelineRow::bottom);
  return row != rows.end() && row->top <= y ? &*row : nullptr;
}

TimelineLayout::Range TimelineLayout::visible(float top, float bottom) const {
  const auto first = std::ranges::upper_bound(rows, top, {}, &TimelineRow::bottom);
  const auto last = std::ranges::lower_bound(rows, bottom, {}, &TimelineRow::top);
  const auto begin = static_cast<std::size_t>(first - rows.begin());
  return {begin, std::max(begin, static_cast<std::size_t>(last - rows.begin()))};
}

const TimelineRow* TimelineLayout::find(const timeline::Place& place) const {
  using Position = std::tuple<std::size_t, bool, std::size_t, std::size_t>;
  const Position wanted{place.group, true, place.lane, place.line};
  const auto position = [](const TimelineRow& row) {
    return Position{row.group, row.kind != TimelineRowKind::heading, row.lane, row.line};
  };
  const auto row = std::ranges::lower_bound(rows, wanted, {}, position);
  return row == rows.end() || position(*row) != wanted ? nullptr : &*row;
}

TimelineLayout lay_out(const timeline::Lanes& lanes, const std::set<std::string>& folded,
                       const TimelineHeights& heights, const timeline::LineCounts* lines) {
  TimelineLayout layout;
  const auto add = [&layout](TimelineRowKind kind, std::size_t group, std::size_t lane,
                             std::size_t line, float height) {
    layout.rows.push_back({kind, group, lane, line, layout.height, layout.height + height, false});
    layout.height += height;
  };
  const auto count_lines = [&](std::size_t group, std::size_t lane) {
    return lines == nullptr ? lanes.groups[group].lanes[lane].lines.size() : (*lines)[group][lane];
  };
  for (std::size_t group = 0; group < lanes.groups.size(); ++group) {
    if (lines != nullptr &&
        std::ranges::all_of((*lines)[group], [](std::size_t count) { return count == 0; })) {
      continue;
    }
    add(TimelineRowKind::heading, group, 0, 0, heights.heading);
    layout.rows.back().is_folded = folded.contains(lanes.groups[group].id);
    if (layout.rows.back().is_folded) continue;
    for (std::size_t lane = 0; lane < lanes.groups[group].lanes.size(); ++lane) {
      const timeline::Lane& shown = lanes.groups[group].lanes[lane];
      const std::size_t count = count_lines(group, lane);
      if (lines != nullptr && count == 0) continue;
      if (shown.kind == timeline::LaneKind::busy) {
        add(TimelineRowKind::busy, group, lane, 0, heights.busy);
      }
      for (std::size_t line = 0; line < std::min(count, shown.lines.size()); ++line) {
        add(TimelineRowKind::line, group, lane, line, heights.line);
      }
      layout.height += heights.between_lanes;
    }
  }
  return layout;
}

void KeptLayout::update(const std::shared_ptr<const timeline::Lanes>& lanes,
                        const std::set<std::string>& folded, const TimelineHeights& heights,
                        const std::shared_ptr<const timeline::LineCounts>& lines) {
  if (lanes == lanes_ && folded == folded_ && heights == heights_ && lines == lines_) return;
  lanes_ = lanes;
  folded_ = folded;
  heights_ = heights;
  lines_ = lines;
  layout_ = lay_out(*lanes_, folded_, heights_, lines_.get());
}

void LinePictures::begin(const timeline::Lanes* lanes, const timeline::TimeMap& map) {
  if (lanes_ == lanes && map_.window() == map.window() && map_.columns() == map.columns()) return;
  lanes_ = lanes;
  map_ = map;
  columns_ = timeline::ColumnTimes(map);
  lines_.clear();
  busy_.clear();
}

const timeline::LinePicture& LinePictures::of(const timeline::Line& line) {
  auto& picture = entry_of(lines_, line);
  if (!picture) picture = prepare_line(line, lanes_->events, columns_);
  return *picture;
}

const std::vector<int64_t>& LinePictures::of(const timeline::BusyTimes& busy) {
  auto& picture = entry_of(busy_, busy);
  if (!picture) picture = busy.by_column(columns_);
  return *picture;
}

}  // namespace dlview::ui
