// The iteration strip under the navigation bar: all iterations in miniature with the two bounds of
// the range and what splits the run, so that both are at hand in every view but Iterations, which
// shows them large. Where the Timeline shows several runs, each has a row of its own below.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/time_window.h"
#include "ui/chart/bars.h"
#include "ui/chart/iteration_marker.h"
#include "ui/chart/navigation.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Of the box to give to IterationStrip::draw(), in pixels. Rows of other runs take no more than
// half of the `available` height.
float strip_height(const Frame& frame, float available);

struct StripText {
  std::string range;  // "Iterations 10–199"
  std::string part;   // "190 of 256", "44 of 44 · Step 0–430"
};
std::string range_text(aggregate::IterationRange range);  // "10–199"
StripText prepare_strip_text(const aggregate::Iterations& iterations,
                             aggregate::IterationRange range);

// Where a time lies among the iterations: 2.5 is the middle of iteration 2. What lies before the
// first is 0, behind the last their number.
double iteration_position(const aggregate::Iterations& iterations, int64_t time_ns);

// The bars of one run and the bounds of its range, which can be dragged.
class StripChart {
 public:
  // Call in each frame before the others. The run has an aggregation.
  void prepare(const workspace::RunModel& run);
  const aggregate::Iterations& iterations() const { return data_.table().iterations; }

  // The duration at the upper edge of the chart, unless another one is given.
  double fitting_top_ns() const { return ui::fitting_top_ns(data_, span_); }
  // Returns the range that a bound was dragged to. `marked` are the stretches of time, on the run's
  // own clock, that the view shows, if not all. Inspector names begin with `path`.
  std::optional<aggregate::IterationRange> draw(Frame& frame, const workspace::RunModel& run,
                                                std::string_view path, const Box& box,
                                                BarLayer& bars,
                                                const std::vector<timeline::TimeWindow>& marked,
                                                std::optional<double> top_ns = std::nullopt);

 private:
  void navigate(const Plot& plot, const Hit& hit);

  BarData data_;
  BarPicture picture_;
  Span span_;
  RangeDrag drag_;
};

class IterationStrip {
 public:
  // Draws into the box and selects a range that was dragged, in the run whose bound it was. Needs
  // an open profile and its aggregation; keep one strip for as long as the profile is open.
  // `marked` are the stretches of time that the view shows, if not all.
  void draw(Frame& frame, const Box& box, BarLayer& bars,
            const std::vector<timeline::TimeWindow>& marked = {});

  // A run's profile has been closed.
  void forget(workspace::RunId run) { others_.erase(run); }

 private:
  struct Edges {
    float left, chart_left, chart_right, right;
  };
  // In the rows of the box, the last of which says how many runs have no row.
  void draw_others(Frame& frame, const Edges& edges, const Box& box, BarLayer& bars,
                   const std::vector<timeline::TimeWindow>& marked);
  void draw_other(Frame& frame, const Edges& edges, const Box& row, const OtherRun& other,
                  BarLayer& bars, const std::vector<timeline::TimeWindow>& marked);

  StripChart active_;
  MarkerLine marker_;
  std::map<workspace::RunId, StripChart> others_;
};

}  // namespace dlview::ui
