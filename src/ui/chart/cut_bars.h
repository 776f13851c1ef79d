// What a chart of bars does not show whole: bars that are cut off at the top, and what lies before
// the first iteration and after the last one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/chart/bars.h"
#include "ui/look.h"
#include "ui/text.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

// The duration that stands beside a bar which is cut off at the top.
struct CutLabel {
  std::string text;  // "67.2 ms", or "1: 67.2 ms" where the bar has neighbors that are cut as well
  float left = 0, right = 0;
};

// What a label keeps free: `gap` pixels to its bar and to other labels, and `depth` pixels below
// the plot's top.
struct CutLabelRoom {
  float gap = 5, depth = 16;
};

// Cut bars with less room between them than a label needs share one, which names the tallest. A
// label that would touch a bar or leave the plot is left out.
std::vector<CutLabel> prepare_cut_labels(const BarData& data, const Plot& plot,
                                         const std::vector<CutBar>& bars, const CutLabelRoom& room,
                                         const MeasureText& measure);

// What tells that a bar goes on beyond the top of a chart: a gap in it, and its duration beside it.
// `surface` is the color behind the bars.
void draw_cut_bars(const Frame& frame, const Plot& plot, const BarData& data,
                   const std::vector<CutBar>& bars, Color surface);

// What lies before the first iteration and behind the last one: a gray block on either side of the
// bars, which tells its time and its kernels.

// Room beside the bars for a block, with the gap to them; 0 where no kernel runs there.
struct OutsideRoom {
  float before = 0, after = 0;
};
OutsideRoom outside_room(const Frame& frame, const aggregate::IterationTable& table);

struct OutsideText {
  std::string heading;  // "Before iteration 0 · 2.31 s"
  std::vector<TooltipRow> rows;
};
OutsideText prepare_outside(const aggregate::OutsidePart& part, const aggregate::Outside& outside,
                            std::string_view where);

// Beside `plot`, as high as their time in its scale. The heading is recorded as
// `name`/before or `name`/after while it is shown.
void draw_outside(Frame& frame, const Plot& plot, const aggregate::IterationTable& table,
                  std::string_view name);

}  // namespace dlview::ui
