// What lies before the first iteration and behind the last one: a gray block on either side of the
// bars, which tells its time and its kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/chart/bars.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

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
