// What the mouse can take hold of to move a range: its two bounds and the span between them, as the
// chart, the slider and the strip place them.
#pragma once

#include <optional>
#include <string_view>

#include "ui/chart/range_drag.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

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

}  // namespace dlview::ui
