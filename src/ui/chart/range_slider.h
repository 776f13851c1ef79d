// A slider with two handles over all iterations: the span between them can be dragged as well, and
// a lighter band shows which part of the run the chart above has on screen.
#pragma once

#include <optional>
#include <string_view>

#include "ui/chart/bars.h"
#include "ui/chart/range_drag.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

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
