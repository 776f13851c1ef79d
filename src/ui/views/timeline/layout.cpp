#include "ui/views/timeline/layout.h"

#include <algorithm>

namespace dlview::ui {

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
  const auto row = std::ranges::find_if(rows, [&place](const TimelineRow& candidate) {
    return candidate.kind == TimelineRowKind::line && candidate.group == place.group &&
           candidate.lane == place.lane && candidate.line == place.line;
  });
  return row == rows.end() ? nullptr : &*row;
}

TimelineLayout lay_out(const timeline::Lanes& lanes, const std::set<std::string>& folded,
                       const TimelineHeights& heights) {
  TimelineLayout layout;
  const auto add = [&layout](TimelineRowKind kind, std::size_t group, std::size_t lane,
                             std::size_t line, float height) {
    layout.rows.push_back({kind, group, lane, line, layout.height, layout.height + height, false});
    layout.height += height;
  };
  for (std::size_t group = 0; group < lanes.groups.size(); ++group) {
    add(TimelineRowKind::heading, group, 0, 0, heights.heading);
    layout.rows.back().is_folded = folded.contains(lanes.groups[group].id);
    if (layout.rows.back().is_folded) continue;
    for (std::size_t lane = 0; lane < lanes.groups[group].lanes.size(); ++lane) {
      const timeline::Lane& shown = lanes.groups[group].lanes[lane];
      if (shown.kind == timeline::LaneKind::utilization) {
        add(TimelineRowKind::utilization, group, lane, 0, heights.utilization);
      }
      for (std::size_t line = 0; line < shown.lines.size(); ++line) {
        add(TimelineRowKind::line, group, lane, line, heights.line);
      }
      layout.height += heights.between_lanes;
    }
  }
  return layout;
}

}  // namespace dlview::ui
