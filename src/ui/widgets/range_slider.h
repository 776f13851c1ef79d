// A slider with two handles over whole numbers; the span between them can be dragged as well.
#pragma once

#include <optional>
#include <string_view>

#include "aggregate/selection.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Where a drag began, kept by the owner between frames.
struct SliderDrag {
  aggregate::IterationRange from;
  float mouse_x = 0;
};

// Over [0, count); returns a changed range. `name` gives "<name>/start", "/stop" and "/span".
std::optional<aggregate::IterationRange> draw_range_slider(Frame& frame, std::string_view name,
                                                           const Box& box,
                                                           aggregate::IterationRange range,
                                                           int64_t count, SliderDrag& drag);

}  // namespace dlview::ui
