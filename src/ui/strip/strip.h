// The iteration strip under the navigation bar: all iterations in miniature with the two bounds of
// the range and what splits the run, so that both are at hand in every view but Iterations, which
// shows them large.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "timeline/time_window.h"
#include "ui/chart/bars.h"
#include "ui/chart/iteration_marker.h"
#include "ui/chart/navigation.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kStripHeight = 74;  // of the box to give to draw(), times the scale

struct StripText {
  std::string range;  // "Iterations 10 – 199"
  std::string part;   // "190 of 256", "44 of 44 · Step 0 – 430"
};
StripText prepare_strip_text(const aggregate::Iterations& iterations,
                             aggregate::IterationRange range);

// Where a time lies among the iterations: 2.5 is the middle of iteration 2. What lies before the
// first is 0, behind the last their number.
double iteration_position(const aggregate::Iterations& iterations, int64_t time_ns);

class IterationStrip {
 public:
  // Draws into the box and selects a range that was dragged. Needs an open profile and its
  // aggregation; keep one strip for as long as the profile is open. `marked` are the
  // stretches of time that the view shows, if not all.
  void draw(Frame& frame, const Box& box, BarLayer& bars,
            const std::vector<timeline::TimeWindow>& marked = {});

 private:
  void prepare(const Model& model);
  void draw_chart(Frame& frame, const Box& chart, BarLayer& bars,
                  const std::vector<timeline::TimeWindow>& marked);
  void navigate(const Plot& plot, const Hit& hit);

  BarData data_;
  BarPicture picture_;
  MarkerLine marker_;
  Span span_;
  RangeDrag drag_;
};

}  // namespace dlview::ui
