// What keys, wheel and mouse do with a plot of the timeline: they move its window, and measure.
#pragma once

#include <string>

#include "timeline/measure.h"
#include "timeline/request.h"
#include "timeline/time_window.h"
#include "ui/views/timeline/rows.h"

namespace dlview::ui {

// How keys and the wheel move the window of a plot of the timeline.

// Room on either side of a selection that is shown, in its own lengths.
inline constexpr int64_t kRoomAround = 4;

// False, and nothing done, for commands that do not move the window. `steps` may be parts of one.
bool move_window(timeline::Navigator& navigator, TimelineCommand command, double steps,
                 const TimelinePlot& plot);

// Zooms or pans; returns how many pixels the lanes, where they can, are scrolled down instead.
float turn_wheel(const Frame& frame, const TimelinePlot& plot, bool can_scroll,
                 timeline::Navigator& navigator);

// The measuring mode of the timeline: the pointer snaps to edges of events, two clicks take two of
// them, and a dimension line shows the time between.
class MeasureTool {
 public:
  bool is_on() const { return measure_.is_on(); }
  bool has_first() const { return measure_.first().has_value(); }
  bool is_fixed() const { return measure_.is_fixed(); }  // has both edges
  void toggle();
  void end() { measure_.end(); }
  // Measures on, but nothing as yet.
  void restart() {
    if (is_on()) measure_.begin();
  }
  // Times are told from there on.
  void set_origin(int64_t origin_ns) { origin_ns_ = origin_ns; }
  // Looks at what the pointer is at; before click() in each frame.
  void point(const Frame& frame, const timeline::Lanes& lanes, const TimelineLayout& layout,
             const TimelinePlot& plot, bool is_over_rows);
  void click();
  // Over the rows.
  void draw(Frame& frame, const timeline::Lanes& lanes, const TimelinePlot& plot);
  // For the status bar.
  std::string text() const { return measure_.text(origin_ns_); }

 private:
  void draw_edge(const Frame& frame, const TimelinePlot& plot, const timeline::Edge& edge) const;
  void draw_dimension(Frame& frame, const TimelinePlot& plot,
                      const timeline::Measure::Span& span) const;
  void draw_label(Frame& frame, const TimelinePlot& plot, const timeline::Measure::Span& span,
                  float left, float right, float y) const;

  timeline::Measure measure_;
  int64_t origin_ns_ = 0;
  float pointed_at_ = 0;  // from the top of all rows
  float fixed_at_ = 0;
};

}  // namespace dlview::ui
