// Draws the rows of the timeline: headings, busy times with their idle gaps, and lines with the
// marks of their events, labels where they fit. row_names.cpp draws what stands left of them,
// row_curves.cpp those of memory and counters.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/iteration_events.h"
#include "timeline/name_hits.h"
#include "timeline/picture.h"
#include "ui/chart/bars.h"
#include "ui/text.h"
#include "ui/views/timeline/colors.h"
#include "ui/views/timeline/layout.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kTimelineNamesWidth = 190;
TimelineHeights timeline_heights(const Frame& frame);

// Where times and rows stand on screen.
struct TimelinePlot {
  Box box;  // of whole pixels; a column is a pixel
  timeline::TimeMap map{{}, 1};
  float rows_top = 0;  // where the first row would stand: above the box when scrolled
  std::string_view name = "timeline";  // inspector names begin with it

  // Of a time, kept a little beyond the box where it lies outside.
  float x_of(int64_t time_ns) const;
  int64_t time_at(float x) const;
  Box row_box(const TimelineRow& row) const;
  // Shorter events are narrower than a column.
  int64_t column_ns() const { return map.window().length_ns / map.columns(); }
};

// What a point lies on.
struct TimelineHit {
  timeline::Place place;  // of the event, or of a fold's first one
  timeline::Mark mark;
};

// A stretch between two pieces of work of a GPU.
struct IdleGap {
  timeline::TimeWindow time;
  profile::DeviceIndex device;
  bool operator==(const IdleGap&) const = default;
};

// How events look; outlives the rows.
struct TimelineLooks {
  EventColors colors;
  // Where set, all others are dimmed.
  const timeline::NameHits* hits = nullptr;
  const timeline::IterationEvents* own = nullptr;
  const timeline::SubjectEvents* subject = nullptr;
  const aggregate::RuleIndex* rules = nullptr;  // what the host did in gaps; null = not known yet
  const IdleGap* gap = nullptr;                 // drawn by draw_gap(): rows do not mark it
  bool searches() const { return hits != nullptr || subject != nullptr; }
  bool may_dim() const { return searches() || own != nullptr; }
};

// Of folds, in a few shades: by how much of its column a fold takes.
class FoldColors {
 public:
  FoldColors(const EventColors& colors, Color background, const timeline::TimeMap& map);

  Color of(uint8_t hue, int64_t busy_ns) const {
    const double shades = std::min<double>(kShades, static_cast<double>(busy_ns) * shades_per_ns_);
    const auto whole = static_cast<int>(shades);
    return colors_[hue][static_cast<std::size_t>(shades > whole ? whole + 1 : whole)];
  }

 private:
  static constexpr int kShades = 8;

  double shades_per_ns_;
  std::array<std::array<Color, kShades + 1>, EventColors::kHues> colors_;
};

// Adds a rectangle: folds side by side of one color are one.
void add_rectangle(std::vector<render::Rectangle>& rectangles, const render::Rectangle& next);

class TimelineRows {
 public:
  TimelineRows(Frame& frame, const timeline::Lanes& lanes, const TimelineLayout& layout,
               const TimelinePlot& plot, LinePictures& pictures, const TimelineLooks& looks);

  // Those that the plot's box shows; names stand left of it. Returns the group, the idle threads or
  // the GPU metrics whose heading was clicked.
  std::optional<std::string> draw(float names_left, BarLayer& bars);
  std::optional<TimelineHit> hit(float x, float y);
  // "Busy 87.1%: 12.1 µs of 13.9 µs", of a column of busy times; "Idle 2.43 ms, then xmma_gemm" of
  // one in a gap, with what the host did below it; "Allocated 4.1 GiB" of one of memory, and
  // "Queue Length · stream 7: 3" of one of a counter.
  std::optional<std::string> busy_text(float x, float y);
  // Of samples there; does nothing elsewhere.
  void show_samples_tooltip(float x, float y);
  // That which fills a column of busy times.
  std::optional<IdleGap> gap_at(float x, float y);
  // Of an event, cut off at the plot; nothing where its group is folded away.
  std::optional<Box> box_of(const timeline::Place& place) const;

 private:
  struct BusyColumn {
    const timeline::LaneGroup& gpu;
    base::Interval shown;
    int64_t busy_ns = 0;
    std::optional<base::Interval> gap;  // that fills it
  };
  // A gap that is wide enough for a bracket, and what of it is on screen.
  struct WideGap {
    base::Interval time;
    Box box;
  };
  std::optional<BusyColumn> busy_at(float x, float y);
  std::vector<WideGap> wide_gaps(const TimelineRow& row) const;
  // Of the visible part of the run, in percent; nothing where nothing was recorded.
  std::optional<double> busy_share(const TimelineRow& row) const;
  int64_t own_busy_ns(const timeline::LaneGroup& gpu, const base::Interval& time) const;
  const timeline::Line& line_of(const TimelineRow& row) const {
    return lanes_.groups[row.group].lanes[row.lane].lines[row.line];
  }
  // A fold is lit where any of its events is found; it belongs to the iteration of its longest one.
  Color color_of_hit(const TimelineRow& row, const timeline::Mark& mark, uint8_t hue) const;
  bool is_lit(const TimelineRow& row, const timeline::Mark& mark) const;
  Color color_of_label(const TimelineRow& row, const timeline::Mark& mark) const;
  // What the row draws; called on all cores.
  std::vector<render::Rectangle> rectangles_of(const TimelineRow& row) const;
  void add_line(const TimelineRow& row, std::vector<render::Rectangle>& rectangles) const;
  void add_busy(const TimelineRow& row, std::vector<render::Rectangle>& rectangles) const;
  void add_memory(const TimelineRow& row, std::vector<render::Rectangle>& rectangles) const;
  base::Interval most_shown(int32_t column) const;
  void add_counter(const TimelineRow& row, std::vector<render::Rectangle>& rectangles) const;
  const timeline::MetricLane& metric_of(const TimelineRow& row) const {
    return *lanes_.groups[row.group].lanes[row.lane].metric;
  }
  // Returns the id that a click on the name of a GPU's first metric folds or opens.
  std::optional<std::string> draw_metric_name(const TimelineRow& row, float names_left);
  void draw_most_memory(const TimelineRow& row);
  // "0 to 3", of the visible part of the run; "" where no value is known.
  std::string counter_bounds(const TimelineRow& row) const;
  std::optional<std::string> counter_text(const TimelineRow& row, float x) const;
  std::optional<std::string> memory_text(const TimelineRow& row, float x) const;
  std::vector<render::Rectangle> prepare_rows(const TimelineLayout::Range& visible);
  // Returns the id that a click on it folds or opens.
  std::optional<std::string> draw_heading(const TimelineRow& row, float names_left);
  void draw_names(const TimelineRow& row, float names_left);
  void draw_busy_share(const TimelineRow& row);
  void draw_short_events_name(const TimelineRow& row, float names_left);
  void draw_gaps(const TimelineRow& row);
  void draw_labels(const TimelineRow& row);
  std::string label_of(timeline::EventRef event, float room) const;

  Frame& frame_;
  const timeline::Lanes& lanes_;
  const TimelineLayout& layout_;
  const TimelinePlot& plot_;
  LinePictures& pictures_;
  const TimelineLooks& looks_;
  FoldColors fold_colors_;
};

}  // namespace dlview::ui
