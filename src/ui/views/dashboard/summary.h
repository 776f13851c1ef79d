// The performance summary as key figures, the system configuration as a list, and a small chart of
// all iterations.
#pragma once

#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "ui/chart/bars.h"
#include "ui/look.h"
#include "ui/widgets/figures.h"

namespace dlview::ui {

// Wall time, average iteration with standard deviation and median, GPU utilization over all and
// over used GPUs, Tensor Core efficiency, kernel launches, iterations in the range with start and
// stop.
std::vector<KeyFigure> prepare_summary(const profile::Profile& profile,
                                       const aggregate::Aggregation& aggregation);

// What was found on the machine, used by the run or not.
std::vector<KeyValue> prepare_system(const profile::Profile& profile,
                                     const std::string& viewer_version);

// The dashboard's small chart of all iterations: the same bars as in the Iterations view.

// "256 iterations · longest 431 ms (3)", or why there is only one. Nothing is hidden in the data.
std::string prepare_iteration_note(const BarData& data);

// `chart_height` in pixels. A click on the chart or its link shows the Iterations view. Returns the
// bottom.
float draw_iteration_summary(Frame& frame, const Area& area, float chart_height,
                             const BarData& data, BarPicture& picture, BarLayer& bars);

}  // namespace dlview::ui
