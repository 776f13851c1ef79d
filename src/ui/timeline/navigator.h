// Navigator: the window of the timeline within the whole run, moved by keys, wheel and hand, and
// the way back.
#pragma once

#include <cstdint>

#include "ui/timeline/time_window.h"

namespace dlview::ui::timeline {

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
  // Moves it where a time begins behind its end.
  void show_start(const base::Interval& time);
  void back();

 private:
  void move(const TimeWindow& window, int64_t gesture);

  TimeWindow whole_, window_, dragged_from_;
  WindowHistory history_;
  int64_t gesture_ = 0;  // counts drags and jumps
};

}  // namespace dlview::ui::timeline
