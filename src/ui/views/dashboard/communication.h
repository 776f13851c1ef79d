// Below the resource usage of a run that communicates: how much, exposed and overlapped.
#pragma once

#include <vector>

#include "aggregate/aggregation.h"
#include "ui/widgets/stacked_bar.h"

namespace dlview::ui {

// All of it, the exposed part, the overlapped one; mean over all devices, of the duration of the
// range. Empty when no kernel of the run communicates.
std::vector<BarPart> prepare_communication(const aggregate::Aggregation& aggregation);

// Set apart by a line; a lane on the scale of the bar above, and the three figures. Returns the
// bottom.
float draw_communication(Frame& frame, const Area& area, const std::vector<BarPart>& parts);

}  // namespace dlview::ui
