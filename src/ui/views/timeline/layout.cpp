#include "ui/views/timeline/layout.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace dlview::ui {
namespace {

// The map stays as it is where there is room.
template <typename Map, typename Key>
auto& entry_of(Map& map, const Key& key) {
  const auto entry = map.find(&key);
  return entry != map.end() ? entry->second : map.try_emplace(&key).first->second;
}

// So many times as high as usual are rows at most, to fill the window.
constexpr float kMostLineGrowth = 1.7f, kMostBusyGrowth = 2.6f;
// Fewer lines are not drawn on one row: that would save nothing.
constexpr std::size_t kLeastThinLines = 2;
// Streams that work for more than this part of the run keep their rows: which work takes how much
// of the time is seen even where no event is.
constexpr int64_t kSparseParts = 20;

// Whether the line may share a row where its events are shorter than a column.
bool may_be_thin(const timeline::Lanes& lanes, const timeline::Lane& lane,
                 const timeline::Line& line) {
  if (lane.kind != timeline::LaneKind::stream) return true;
  const int64_t run_ns = lanes.recorded.stop_ns - lanes.recorded.start_ns;
  return line.runs().busy_ns() < run_ns / kSparseParts;
}

std::vector<int64_t> longest_of_lines(const timeline::Lanes& lanes) {
  std::vector<int64_t> longest;
  for (const timeline::LaneGroup& group : lanes.groups) {
    for (const timeline::Lane& lane : group.lanes) {
      for (const timeline::Line& line : lane.lines) {
        if (may_be_thin(lanes, lane, line)) longest.push_back(line.longest_ns());
      }
    }
  }
  std::ranges::sort(longest);
  return longest;
}

class LayoutBuilder {
 public:
  LayoutBuilder(const timeline::Lanes& lanes, const LayoutOf& of, const TimelineHeights& heights)
      : lanes_(lanes), of_(of), heights_(heights) {}

  TimelineLayout run() {
    const std::size_t idle = first_idle();
    for (std::size_t group = 0; group < idle; ++group) add_group(group);
    if (!layout_.rows.empty() && add_idle_heading(idle)) return std::move(layout_);
    for (std::size_t group = idle; group < lanes_.groups.size(); ++group) add_group(group);
    return std::move(layout_);
  }

 private:
  using Kind = TimelineRowKind;

  std::size_t count_lines(std::size_t group, std::size_t lane) const {
    return of_.lines == nullptr ? lanes_.groups[group].lanes[lane].lines.size()
                                : (*of_.lines)[group][lane];
  }
  bool is_empty(std::size_t group) const {
    const std::vector<timeline::Lane>& lanes = lanes_.groups[group].lanes;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      if (is_hidden(group, lane)) continue;
      if (of_.lines == nullptr || (*of_.lines)[group][lane] > 0) return false;
    }
    return of_.lines != nullptr || !lanes.empty();
  }
  bool is_hidden(std::size_t group, std::size_t lane) const {
    if (of_.hidden && of_.hidden->group == group && of_.hidden->lane == lane) return true;
    const timeline::Lane& each = lanes_.groups[group].lanes[lane];
    if (each.kind == timeline::LaneKind::metric) return each.is_detail && !shows_metrics_;
    return each.kind == timeline::LaneKind::frames && !shows_frames_;
  }
  // Idle threads are the last groups.
  std::size_t first_idle() const {
    std::size_t first = lanes_.groups.size();
    while (first > 0 && lanes_.groups[first - 1].is_idle_thread()) --first;
    return first;
  }
  // Returns whether it stands for all of them: they are folded.
  bool add_idle_heading(std::size_t first) {
    int64_t threads = 0;
    for (std::size_t group = first; group < lanes_.groups.size(); ++group) {
      threads += is_empty(group) ? 0 : 1;
    }
    if (threads == 0) return false;
    add({.kind = Kind::idle_threads, .group = first, .threads = threads}, heights_.heading);
    layout_.rows.back().is_folded = of_.folded.contains(std::string(kIdleThreads));
    return layout_.rows.back().is_folded;
  }
  void add_group(std::size_t group) {
    if (is_empty(group)) return;
    const timeline::LaneGroup& shown = lanes_.groups[group];
    add({Kind::heading, group}, heights_.heading);
    layout_.rows.back().is_folded = of_.folded.contains(shown.id);
    if (layout_.rows.back().is_folded) return;
    for (std::size_t lane = 0; lane < shown.lanes.size(); ++lane) {
      if (is_hidden(group, lane)) continue;
      const std::size_t count = count_lines(group, lane);
      if (shown.lanes[lane].kind == timeline::LaneKind::busy &&
          (of_.lines == nullptr || count > 0)) {
        add_thin(group);
        add({Kind::busy, group, lane}, heights_.busy);
      }
      if (shown.lanes[lane].kind == timeline::LaneKind::memory && of_.lines == nullptr) {
        add_thin(group);
        add({Kind::memory, group, lane}, heights_.busy);
      }
      if (shown.lanes[lane].kind == timeline::LaneKind::counter && of_.lines == nullptr) {
        add_thin(group);
        add({Kind::counter, group, lane}, heights_.line);
      }
      if (shown.lanes[lane].kind == timeline::LaneKind::metric && of_.lines == nullptr) {
        add_thin(group);
        add({Kind::metric, group, lane}, heights_.busy);
        layout_.rows.back().is_folded = !shows_metrics_;
      }
      for (std::size_t line = 0; line < std::min(count, shown.lanes[lane].lines.size()); ++line) {
        add_line(group, {lane, line});
      }
    }
    add_thin(group);
    if (last_lane_) layout_.height += heights_.between_lanes;
    last_lane_.reset();
  }
  void add_line(std::size_t group, const TimelineLine& line) {
    const timeline::Lane& lane = lanes_.groups[group].lanes[line.lane];
    const timeline::Line& events = lane.lines[line.line];
    if (events.longest_ns() < of_.column_ns && may_be_thin(lanes_, lane, events)) {
      return thin_.push_back(line);
    }
    add_thin(group);
    add({Kind::line, group, line.lane, line.line}, heights_.line);
  }
  // Those that came last.
  void add_thin(std::size_t group) {
    const std::vector<TimelineLine> lines = std::exchange(thin_, {});
    if (lines.size() >= kLeastThinLines) {
      add({Kind::short_events, group, lines.front().lane, lines.front().line},
          heights_.short_events);
      layout_.rows.back().lines = lines;
      last_lane_ = lines.back().lane;
      return;
    }
    for (const TimelineLine& line : lines) {
      add({Kind::line, group, line.lane, line.line}, heights_.line);
    }
  }
  void add(TimelineRow row, float height) {
    const bool is_lane = !row.is_heading();
    if (is_lane && last_lane_ && last_lane_ != row.lane) layout_.height += heights_.between_lanes;
    if (is_lane) last_lane_ = row.lane;
    row.top = layout_.height;
    layout_.height += height;
    row.bottom = layout_.height;
    layout_.rows.push_back(std::move(row));
  }

  const timeline::Lanes& lanes_;
  const LayoutOf& of_;
  const TimelineHeights& heights_;
  const bool shows_frames_ = !of_.folded.contains(std::string(kPythonFrames));
  const bool shows_metrics_ = !of_.folded.contains(std::string(kGpuMetrics));
  std::vector<TimelineLine> thin_;
  std::optional<std::size_t> last_lane_;  // of the group
  TimelineLayout layout_;
};

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
    return Position{row.group, !row.is_heading(), row.lane, row.line};
  };
  const auto behind = std::ranges::upper_bound(rows, wanted, {}, position);
  if (behind == rows.begin()) return nullptr;
  const TimelineRow& row = *(behind - 1);
  if (row.kind == TimelineRowKind::short_events && row.group == place.group) {
    return std::ranges::binary_search(row.lines, TimelineLine{place.lane, place.line}) ? &row
                                                                                       : nullptr;
  }
  return position(row) == wanted ? &row : nullptr;
}

std::set<std::string> folded_at_first() {
  return {std::string(kIdleThreads), std::string(kPythonFrames), std::string(kGpuMetrics)};
}

void unfold(std::set<std::string>& folded, const timeline::Lanes& lanes,
            const timeline::Place& place) {
  const timeline::LaneGroup& group = lanes.groups[place.group];
  folded.erase(group.id);
  if (group.is_idle_thread()) folded.erase(std::string(kIdleThreads));
  if (group.lanes[place.lane].kind == timeline::LaneKind::frames) {
    folded.erase(std::string(kPythonFrames));
  }
}

TimelineLayout lay_out(const timeline::Lanes& lanes, const LayoutOf& of,
                       const TimelineHeights& heights) {
  return LayoutBuilder(lanes, of, heights).run();
}

TimelineHeights grown(const TimelineHeights& heights, const TimelineLayout& layout, float room) {
  const auto count = [&layout](TimelineRowKind kind) {
    return static_cast<float>(std::ranges::count(layout.rows, kind, &TimelineRow::kind));
  };
  const float lines = heights.line * (kMostLineGrowth - 1);
  const float busy = heights.busy * (kMostBusyGrowth - 1);
  const float most = (count(TimelineRowKind::line) + count(TimelineRowKind::counter)) * lines +
                     (count(TimelineRowKind::busy) + count(TimelineRowKind::memory) +
                      count(TimelineRowKind::metric)) *
                         busy;
  if (most <= 0 || room <= layout.height) return heights;
  const float share = std::min(1.0f, (room - layout.height) / most);
  TimelineHeights higher = heights;
  higher.line = std::floor(heights.line + share * lines);
  higher.busy = std::floor(heights.busy + share * busy);
  return higher;
}

void KeptLayout::update(const std::shared_ptr<const timeline::Lanes>& lanes, const Wanted& wanted) {
  const bool is_other = lanes != lanes_;
  if (is_other) {
    lanes_ = lanes;
    longest_ns_ = longest_of_lines(*lanes);
  }
  const auto thin_lines =
      std::ranges::lower_bound(longest_ns_, wanted.column_ns) - longest_ns_.begin();
  if (!is_other && wanted.folded == folded_ && wanted.heights == heights_ &&
      thin_lines == thin_lines_ && wanted.room == room_ && wanted.lines == lines_ &&
      wanted.hidden == hidden_) {
    return;
  }
  folded_ = wanted.folded;
  heights_ = wanted.heights;
  thin_lines_ = thin_lines;
  room_ = wanted.room;
  lines_ = wanted.lines;
  hidden_ = wanted.hidden;
  const LayoutOf of{folded_, lines_.get(), wanted.column_ns, hidden_};
  layout_ = lay_out(*lanes_, of, heights_);
  const TimelineHeights higher = grown(heights_, layout_, room_);
  if (higher != heights_) layout_ = lay_out(*lanes_, of, higher);
}

void LinePictures::begin(const timeline::Lanes* lanes, const timeline::TimeMap& map) {
  if (lanes_ == lanes && map_.window() == map.window() && map_.columns() == map.columns()) return;
  lanes_ = lanes;
  map_ = map;
  columns_ = timeline::ColumnTimes(map);
  lines_.clear();
  busy_.clear();
  metrics_.clear();
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

const timeline::MetricPicture& LinePictures::of(const timeline::MetricLane& metric) {
  auto& picture = entry_of(metrics_, metric);
  if (!picture) picture = timeline::prepare_metric(metric, columns_);
  return *picture;
}

}  // namespace dlview::ui
