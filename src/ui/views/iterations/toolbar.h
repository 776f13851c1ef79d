// The controls above the iteration chart: bounds, key op, cut, steady range, badges, zoom. What
// they change is selected at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/chart/bars.h"
#include "ui/look.h"
#include "ui/views/iterations/key_ops.h"

namespace dlview::ui {

// Kept between frames.
struct ToolbarState {
  std::string key_op_text;   // as typed
  std::string shown_key_op;  // the selection's, when the text was last taken from it
  std::optional<std::vector<KeyOpChoice>> key_ops;  // made when the list is first opened
};

struct ToolbarInput {
  aggregate::IterationRange range;
  std::optional<aggregate::IterationRange> steady;
  int64_t count = 1;
};

// Returns the bottom. `span` is the chart's; All and Profiled set it.
float draw_toolbar(Frame& frame, const Area& area, const ToolbarInput& input, ToolbarState& state,
                   Span& span);

}  // namespace dlview::ui
