// How keys, wheel and mouse move the visible span of a chart and the bounds of the range.
#pragma once

#include <optional>
#include <string_view>

#include "aggregate/selection.h"
#include "ui/chart/bars.h"
#include "ui/model.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Zooming and panning of a span of iterations, and dragging its bounds. Pure.

// All of `count` iterations.
Span whole_span(int64_t count);

// Scales the span by `factor` (below 1 zooms in) around the iteration position `at`, which keeps
// its place on screen; never smaller than kSmallestSpan iterations nor beyond the run.
inline constexpr double kSmallestSpan = 4;
Span zoomed(Span span, double at, double factor, int64_t count);

// Moved by whole or part iterations, kept inside the run.
Span panned(Span span, double by, int64_t count);

// The range with one end moved to an iteration; it stops at the other end and at the run's.
aggregate::IterationRange with_first(aggregate::IterationRange range, int64_t first, int64_t count);
aggregate::IterationRange with_last(aggregate::IterationRange range, int64_t last, int64_t count);

// The same, but the other end gives way: for numbers that are typed.
aggregate::IterationRange from_first(aggregate::IterationRange range, int64_t first, int64_t count);
aggregate::IterationRange to_last(aggregate::IterationRange range, int64_t last, int64_t count);

// The range moved as a whole, its size kept.
aggregate::IterationRange shifted(aggregate::IterationRange range, int64_t by, int64_t count);

// The range that the bounds show: the newest selection, as far as it belongs to the iterations that
// are on screen.
// Needs an aggregation.
aggregate::IterationRange current_range(const workspace::RunModel& run);

// Dragging the bounds of a range, or the span between them, by the mouse: one behavior for the
// chart, the slider and the strip. Pure.

// What a press of the mouse took hold of.
enum class Grip { none, first, last, whole };

// A drag, kept by the owner between frames. Positions are in iterations, as Plot::iteration_at
// gives them.
class RangeDrag {
 public:
  // Where both bounds lie under the mouse, `grip` may be either one: the first move decides.
  void begin(Grip grip, bool either, aggregate::IterationRange range, double at);
  void end() { grip_ = Grip::none; }
  Grip grip() const { return grip_; }

  // The range when the mouse is at `at`; a bound stops at the other one and at the run's ends.
  aggregate::IterationRange moved_to(double at, int64_t count);

 private:
  Grip grip_ = Grip::none;
  bool either_ = false;
  aggregate::IterationRange from_;
  double begun_at_ = 0;
};

// What the mouse can take hold of to move a range: its two bounds and the span between them, as the
// chart, the slider and the strip place them.

// Boxes may overlap: where both bounds lie under the mouse, the direction of the drag decides.
// One without a width cannot be taken.
struct GripBoxes {
  Box first, last, whole;
};

struct GripResult {
  Hit first, last, whole;
  std::optional<aggregate::IterationRange> dragged_to;
};

// `prefix` gives the inspector names "<prefix>start", "<prefix>stop" and "<prefix>span"; `at` is
// the mouse's place in iterations. Draws nothing.
GripResult place_grips(Frame& frame, std::string_view prefix, const GripBoxes& boxes, double at,
                       aggregate::IterationRange range, int64_t count, RangeDrag& drag);

// A slider with two handles over all iterations: the span between them can be dragged as well, and
// a lighter band shows which part of the run the chart above has on screen.

struct SliderInput {
  aggregate::IterationRange range;
  int64_t count = 1;
  Span visible;  // all of it = no band
};

// The first and the last number stand outside the box, at its left and right, within this distance.
float slider_end_width(const Frame& frame, int64_t count);

// Returns a changed range. `name` gives "<name>/start", "/stop" and "/span".
std::optional<aggregate::IterationRange> draw_range_slider(Frame& frame, std::string_view name,
                                                           const Box& box, const SliderInput& input,
                                                           RangeDrag& drag);

}  // namespace dlview::ui
