// The two bounds of the range on the chart: lines that can be dragged, with their numbers as flags.
#pragma once

#include <optional>

#include "ui/chart/bars.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct BoundsResult {
  bool hovered = false;
  std::optional<aggregate::IterationRange> dragged_to;
};

BoundsResult draw_bounds(Frame& frame, const Plot& plot, aggregate::IterationRange range,
                         int64_t count);

}  // namespace dlview::ui
