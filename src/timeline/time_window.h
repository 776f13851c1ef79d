// TimeWindow: the stretch of the run that the timeline shows, in whole nanoseconds, and how it
// moves. TimeMap: that window on whole pixel columns. Both are exact however far into a run: no
// time is ever a floating-point number.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/intervals.h"

namespace dlview::timeline {

// [start, start + length); the length is above 0.
struct TimeWindow {
  int64_t start_ns = 0, length_ns = 1;
  int64_t stop_ns() const { return start_ns + length_ns; }
  bool operator==(const TimeWindow&) const = default;
};

inline constexpr int64_t kShortestWindowNs = 20;

// The window from one time to another, whichever comes first, made longer where it is too short.
TimeWindow window_between(int64_t one_ns, int64_t other_ns);
// Moved and shortened to lie within the whole.
TimeWindow inside(const TimeWindow& window, const TimeWindow& whole);
// What of it lies in the whole; where that is nothing, moved there.
TimeWindow part_inside(const TimeWindow& window, const TimeWindow& whole);
// Scaled by the factor, below 1 zooms in, around a time, which keeps its place on screen.
TimeWindow zoomed(const TimeWindow& window, int64_t at_ns, double factor, const TimeWindow& whole);
TimeWindow panned(const TimeWindow& window, int64_t by_ns, const TimeWindow& whole);
// So that the stretch fills most of the window.
TimeWindow fitted(int64_t start_ns, int64_t stop_ns, const TimeWindow& whole);
// The window moved as little as shows the stretch, or its start where it is too long; unchanged
// when it is visible.
TimeWindow revealing(const TimeWindow& window, int64_t start_ns, int64_t stop_ns,
                     const TimeWindow& whole);

// Column c shows the times t with floor((t - start) * columns / length) = c.
class TimeMap {
 public:
  TimeMap(const TimeWindow& window, int32_t columns) : window_(window), columns_(columns) {}

  const TimeWindow& window() const { return window_; }
  int32_t columns() const { return columns_; }
  // The column of a time; -1 before the window, columns() behind it.
  int32_t column(int64_t time_ns) const;
  // The first time of a column: begin_ns(0) is the window's start, begin_ns(columns()) its end.
  int64_t begin_ns(int32_t column) const;
  // What a column shows, in whole ns: where one is wider than a column, the one it is a part of.
  base::Interval shown(int32_t column) const;

 private:
  TimeWindow window_;
  int32_t columns_;
};

// Windows to go back to. Changes of one gesture (a drag, a turning wheel) are one step.
class WindowHistory {
 public:
  // The window is about to change from `before`.
  void leave(const TimeWindow& before, int64_t gesture);
  std::optional<TimeWindow> back();
  bool empty() const { return windows_.empty(); }

 private:
  std::vector<TimeWindow> windows_;
  std::optional<int64_t> gesture_;
};

// When each column of a window begins, reckoned once for all that is drawn in it.
class ColumnTimes {
 public:
  explicit ColumnTimes(const TimeMap& map);

  // As TimeMap has them.
  int32_t columns() const { return map_.columns(); }
  int64_t begin_ns(int32_t column) const { return begins_[static_cast<std::size_t>(column)]; }
  int32_t column(int64_t time_ns) const { return map_.column(time_ns); }
  base::Interval shown(int32_t column) const {
    const int64_t begin = begin_ns(column), end = begin_ns(column + 1);
    return {begin == end ? begin - 1 : begin, end};
  }
  // Of a time that is not before the column `near`, at no cost where it is near.
  int32_t column_from(int32_t near, int64_t time_ns) const;

 private:
  TimeMap map_;
  std::vector<int64_t> begins_;
};

// The window of the timeline within the whole run, moved by keys, wheel and hand, and the way back.
class Navigator {
 public:
  // Steps of one kind that follow each other are taken back as one.
  enum class By { keys, wheel };

  Navigator() = default;
  explicit Navigator(const TimeWindow& whole) : whole_(whole), window_(whole) {}

  const TimeWindow& whole() const { return whole_; }
  const TimeWindow& window() const { return window_; }
  bool shows_whole() const { return window_ == whole_; }
  bool can_go_back() const { return !history_.empty(); }

  // Below 1 zooms in; the time keeps its place.
  void zoom(int64_t at_ns, double factor, By by);
  void pan(int64_t by_ns, By by);
  // A hand takes hold of the window, and moves it from where it was then.
  void begin_drag();
  void drag(int64_t by_ns);
  void jump(const TimeWindow& window);
  // There is other room for it, of `now` columns instead of `before`: what is shown keeps its scale
  // and, where the run does not end before, its place; where less than a column is missing, all of
  // the run is shown. Neither this nor what follows is a step to go back.
  void resize(int64_t now, int64_t before);
  // The run has another extent: where all of it was shown, all of it is.
  void set_whole(const TimeWindow& whole);
  // Moves it where a time begins behind its end.
  void show_start(const base::Interval& time);
  // Takes resize() and show_start() back. No step to go back either.
  void restore(const TimeWindow& window) { window_ = window; }
  void back();

 private:
  void move(const TimeWindow& window, int64_t gesture);

  TimeWindow whole_, window_, dragged_from_;
  WindowHistory history_;
  int64_t gesture_ = 0;  // counts drags and jumps
};

}  // namespace dlview::timeline
