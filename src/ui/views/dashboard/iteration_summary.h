// The dashboard's small chart of all iterations: the same bars as in the Iterations view.
#pragma once

#include "ui/chart/bars.h"
#include "ui/look.h"

namespace dlview::ui {

// "256 iterations · longest 431 ms (3)", or why there is only one.
std::string prepare_iteration_note(const aggregate::Aggregation& aggregation);

// `chart_height` in pixels. A click on the chart or its link shows the Iterations view. Returns the
// bottom.
float draw_iteration_summary(Frame& frame, const Area& area, float chart_height,
                             const BarData& data, BarPicture& picture, BarLayer& bars);

}  // namespace dlview::ui
