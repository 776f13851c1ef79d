// The controls above the iteration chart: bounds, iteration marker, clock, boundary, steady range,
// outliers, counts and zoom; below them the split, with the best alternative. What they change is
// selected at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregate/iterations.h"
#include "ui/chart/bars.h"
#include "ui/chart/iteration_marker.h"
#include "ui/look.h"
#include "ui/views/iterations/key_op_picker.h"
#include "ui/widgets/controls.h"

namespace dlview::ui {

// Start or Stop, numbers to type.
enum class RangeField { first, last };

// A label with its control behind it, which is `with_width` wide: both wrap together. The control
// goes where the flow then places it.
void draw_flow_label(Frame& frame, Flow& flow, std::string_view label, float with_width);

// Kept between frames.
struct ToolbarState {
  std::optional<RangeField> clamped;  // a number beyond the run was typed there
  KeyOpPicker picker;
  MarkerLine marker;
};

struct ToolbarInput {
  aggregate::IterationRange range;
  int64_t count = 1;
  Box room;  // for the list of key ops
  const std::vector<ClockChoice>& clocks;
};

// Returns the bottom. `span` is the chart's; "all" and "range" set it.
float draw_toolbar(Frame& frame, const Area& area, const ToolbarInput& input, ToolbarState& state,
                   Span& span);

}  // namespace dlview::ui
