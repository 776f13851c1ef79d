// Keys, wheel and mouse in a plot of the timeline: they move its window, and measure.
#pragma once

#include <string>

#include "timeline/measure.h"
#include "timeline/request.h"
#include "timeline/time_window.h"
#include "ui/views/timeline/rows.h"

namespace dlview::ui {

// Moves the window of a plot by keys and wheel.

// Space on either side of a selection brought into view, as a factor of its length.
inline constexpr int64_t kRoomAround = 4;

// Returns false for commands that do not move the window. `steps` may be fractions.
bool move_window(timeline::Navigator& navigator, TimelineCommand command, double steps,
                 const TimelinePlot& plot);

// Zooms or pans; returns how many pixels the lanes, where they can, are scrolled down instead.
float turn_wheel(const Frame& frame, const TimelinePlot& plot, bool can_scroll,
                 timeline::Navigator& navigator);

// The measuring mode of the timeline: the pointer snaps to edges of events, two clicks choose two
// edges, and a line shows the time between them.
class MeasureTool {
 public:
  bool is_on() const { return measure_.is_on(); }
  bool has_first() const { return measure_.first().has_value(); }
  bool is_fixed() const { return measure_.is_fixed(); }  // has both edges
  void toggle();
  void end() { measure_.end(); }
  // Discards the edges; measuring stays on.
  void restart() {
    if (is_on()) measure_.begin();
  }
  // Texts give times relative to this one.
  void set_origin(int64_t origin_ns) { origin_ns_ = origin_ns; }
  // Snaps to the edge at the pointer; call before click() in each frame.
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
