// Where the lanes stand, and what their lines look like, kept as long as nothing changes it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "timeline/iteration_events.h"
#include "timeline/lanes.h"
#include "timeline/picture.h"

namespace dlview::ui {

// Where the lanes stand: headings of GPUs and threads, busy times, memory, counters, GPU metrics
// and lines, from top to bottom. Pure.

// `idle_threads`: the heading above all threads without ops or GPU calls.
// `short_events`: several lines whose events are all narrower than a column, drawn on one thin row.
enum class TimelineRowKind : uint8_t {
  heading,
  idle_threads,
  busy,
  memory,
  counter,
  metric,
  line,
  short_events,
};

// The ids of those threads, of all lanes of Python frames and of all lanes of GPU metrics but the
// first of each GPU, among those of folded groups.
inline constexpr std::string_view kIdleThreads = "idle_threads", kPythonFrames = "python_frames",
                                  kGpuMetrics = "gpu_metrics";

// A line of a group.
struct TimelineLine {
  std::size_t lane = 0, line = 0;
  auto operator<=>(const TimelineLine&) const = default;
};

struct TimelineRow {
  TimelineRowKind kind = TimelineRowKind::heading;
  std::size_t group = 0, lane = 0, line = 0;  // of several groups or lines the first
  float top = 0, bottom = 0;                  // from the top of all rows
  bool is_folded = false;                     // a heading or a metric whose lanes do not show
  std::vector<TimelineLine> lines = {};       // of short_events
  int64_t threads = 0;                        // of idle_threads

  bool is_heading() const {
    return kind == TimelineRowKind::heading || kind == TimelineRowKind::idle_threads;
  }

  // Calls use(row) for each line that it shows, as if that had the row for itself.
  template <typename Use>
  void for_each_line(const Use& use) const {
    if (kind == TimelineRowKind::line) return use(*this);
    for (const auto& [lane_of_line, line_of_lane] : lines) {
      use(TimelineRow{TimelineRowKind::line, group, lane_of_line, line_of_lane, top, bottom});
    }
  }
};

struct TimelineHeights {
  float heading = 0, busy = 0, line = 0;
  float between_lanes = 0;
  float short_events = 0;
  bool operator==(const TimelineHeights&) const = default;
};

struct TimelineLayout {
  std::vector<TimelineRow> rows;  // by top
  float height = 0;

  // The row at that height; null = none.
  const TimelineRow* at(float y) const;
  // Rows [first, last) that any of [top, bottom) shows.
  struct Range {
    std::size_t first = 0, last = 0;
  };
  Range visible(float top, float bottom) const;
  // The row of a line; null where its group is folded away.
  const TimelineRow* find(const timeline::Place& place) const;
};

// What is laid out of the lanes.
struct LayoutOf {
  const std::set<std::string>& folded;  // ids of groups of which only the heading stays
  // Only so many lines of each lane, and no group without any; null = all.
  const timeline::LineCounts* lines = nullptr;
  int64_t column_ns = 0;  // shorter events are narrower than a column; 0 = none is
  std::optional<timeline::Place> hidden = {};  // any place in a lane that has no rows
};

// What is folded at first: idle threads, Python frames and GPU metrics.
std::set<std::string> folded_at_first();
// Opens the group of an event, the idle threads if it is one of them, and Python frames if the
// event is one.
void unfold(std::set<std::string>& folded, const timeline::Lanes& lanes,
            const timeline::Place& place);

TimelineLayout lay_out(const timeline::Lanes& lanes, const LayoutOf& of,
                       const TimelineHeights& heights);

// Returns heights with which the layout fills `room`, if it has room for more than that: lines and
// busy times become higher, up to a limit.
TimelineHeights grown(const TimelineHeights& heights, const TimelineLayout& layout, float room);

// The layout, made again where it would be another: there may be thousands of rows.
class KeptLayout {
 public:
  struct Wanted {
    const std::set<std::string>& folded;
    TimelineHeights heights;
    int64_t column_ns = 0;  // as in LayoutOf
    float room = 0;         // that rows are to fill
    std::shared_ptr<const timeline::LineCounts> lines = nullptr;
    std::optional<timeline::Place> hidden = {};  // as in LayoutOf
  };
  void update(const std::shared_ptr<const timeline::Lanes>& lanes, const Wanted& wanted);
  const TimelineLayout& operator*() const { return layout_; }
  const TimelineLayout* operator->() const { return &layout_; }

 private:
  std::shared_ptr<const timeline::Lanes> lanes_;
  std::vector<int64_t> longest_ns_;  // of each line that may be thin: the longest event; sorted
  std::set<std::string> folded_;
  TimelineHeights heights_;
  std::ptrdiff_t thin_lines_ = 0;
  float room_ = 0;
  std::shared_ptr<const timeline::LineCounts> lines_;
  std::optional<timeline::Place> hidden_;
  TimelineLayout layout_;
};

// What lines, busy times and GPU metrics look like, kept as long as the window stays.
class LinePictures {
 public:
  // Forgets all when lanes, window or columns are others.
  void begin(const timeline::Lanes* lanes, const timeline::TimeMap& map);
  // Of the window of begin().
  const timeline::ColumnTimes& columns() const { return columns_; }
  // Prepared now, unless they are there. Of different ones on any threads once there is room for
  // them.
  void make_room(const timeline::Line& line) { lines_.try_emplace(&line); }
  void make_room(const timeline::BusyTimes& busy) { busy_.try_emplace(&busy); }
  const timeline::LinePicture& of(const timeline::Line& line);
  const std::vector<int64_t>& of(const timeline::BusyTimes& busy);
  void make_room(const timeline::MetricLane& metric) { metrics_.try_emplace(&metric); }
  const timeline::MetricPicture& of(const timeline::MetricLane& metric);

 private:
  const timeline::Lanes* lanes_ = nullptr;
  timeline::TimeMap map_{{}, 1};
  timeline::ColumnTimes columns_{map_};
  std::unordered_map<const timeline::Line*, std::optional<timeline::LinePicture>> lines_;
  std::unordered_map<const timeline::BusyTimes*, std::optional<std::vector<int64_t>>> busy_;
  std::unordered_map<const timeline::MetricLane*, std::optional<timeline::MetricPicture>> metrics_;
};

}  // namespace dlview::ui
