// The durations that stand beside bars which are cut off at the top. Pure.
#pragma once

#include <string>
#include <vector>

#include "ui/chart/bars.h"
#include "ui/text.h"

namespace dlview::ui {

struct CutLabel {
  std::string text;  // "67.2 ms", or "1: 67.2 ms" where the bar has neighbours that are cut as well
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

}  // namespace dlview::ui
