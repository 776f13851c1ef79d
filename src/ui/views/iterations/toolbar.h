// The controls above the iteration chart: bounds, iteration marker, process, boundary, steady
// state, outliers, counts and zoom; below them the split with the best alternative. Changes apply
// at once.
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

// The number fields Start and Stop.
enum class RangeField { first, last };

// A label, to be followed by its control, which is `with_width` wide. Both wrap together, and the
// control goes where the flow places it.
void draw_flow_label(Frame& frame, Flow& flow, std::string_view label, float with_width);

// State kept between frames.
struct ToolbarState {
  std::optional<RangeField> clamped;  // the field in which a number beyond the run was typed
  KeyOpPicker picker;
  MarkerLine marker;
};

struct ToolbarInput {
  aggregate::IterationRange range;
  int64_t count = 1;
  Box room;  // for the list of candidates
  const std::vector<ClockChoice>& clocks;
};

// Returns the bottom. `span` is the chart's; "all" and "range" set it.
float draw_toolbar(Frame& frame, const Area& area, const ToolbarInput& input, ToolbarState& state,
                   Span& span);

}  // namespace dlview::ui
