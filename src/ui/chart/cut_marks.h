// What tells that a bar goes on beyond the top of a chart: a gap in it, and its duration beside it.
#pragma once

#include "ui/chart/bars.h"
#include "ui/look.h"

namespace dlview::ui {

// `surface` is the colour behind the bars.
void draw_cut_bars(const Frame& frame, const Plot& plot, const BarData& data,
                   const std::vector<CutBar>& bars, Colour surface);

}  // namespace dlview::ui
