// Start and Stop as numbers, with a notice where a number beyond the run was typed.
#pragma once

#include <optional>

#include "aggregate/iterations.h"
#include "ui/widgets/controls.h"

namespace dlview::ui {

enum class RangeField { first, last };

// Running numbers; behind them how the ranges count, where that is otherwise. Returns a changed
// range. `clamped` is the field with the notice, which stands until something is
// clicked or typed anew.
std::optional<aggregate::IterationRange> draw_range_fields(Frame& frame, Flow& flow,
                                                           aggregate::IterationRange range,
                                                           const aggregate::Iterations& iterations,
                                                           std::optional<RangeField>& clamped);

// A label with its control behind it, which is `with_width` wide: both wrap together. The control
// goes where the flow then places it.
void draw_flow_label(Frame& frame, Flow& flow, std::string_view label, float with_width);

}  // namespace dlview::ui
