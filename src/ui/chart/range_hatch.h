// Iterations outside the range are hatched, so that they do not differ by color alone.
#pragma once

#include "aggregate/selection.h"
#include "ui/chart/bars.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Over the bars of a chart, in the color of the surface behind them.
void hatch_outside(const Frame& frame, const Plot& plot, aggregate::IterationRange range,
                   Color surface);

}  // namespace dlview::ui
