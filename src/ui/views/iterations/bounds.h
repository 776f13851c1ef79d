// The two bounds of the range on the chart: lines that can be dragged, with their numbers as flags.
// A bound outside the visible span has its flag at the chart's edge.
#pragma once

#include <optional>

#include "ui/chart/bars.h"
#include "ui/chart/navigation.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct BoundsResult {
  std::optional<aggregate::IterationRange> dragged_to;
  std::optional<int64_t> wanted_in_view;  // an edge whose flag at the chart's side was clicked
};

// `box` is the chart's, in which flags stay. With `whole_range` the span between the bounds can be
// dragged too.
BoundsResult draw_bounds(Frame& frame, const Box& box, const Plot& plot,
                         aggregate::IterationRange range, int64_t count, bool whole_range,
                         RangeDrag& drag);

}  // namespace dlview::ui
