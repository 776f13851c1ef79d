// What the pointer shows above a bar: all constituents of the iteration, with their shares.
#pragma once

#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "ui/chart/bars.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

struct IterationPopup {
  std::string heading;  // "Iteration 47 · 356 ms"
  std::vector<TooltipRow> rows;
  std::string note;  // "outside the range", "the longest of 12 in this pixel"
};

// `candidates` share the pixel; the highest of them is told.
IterationPopup prepare_popup(const BarData& data, aggregate::IterationRange candidates,
                             aggregate::IterationRange range, bool io_recorded,
                             const Palette& palette);

}  // namespace dlview::ui
