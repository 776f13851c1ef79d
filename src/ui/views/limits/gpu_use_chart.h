// How well ops use the GPU, in the order in which they first run: Tensor Cores, memory throughput
// and occupancy, one chart each. A bar is an op, or a kernel of the selected op; its width is the
// kernel time. Hatched is estimated, a gap is unknown.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/operators/operator_report.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct UseBar {
  std::size_t bar = 0;        // of those that were given
  float left = 0, right = 0;  // pixels; bars of less than one share it
};
// Bars in a chart of this box, left to right. Without time there are none.
std::vector<UseBar> place_bars(std::span<const report::ReportBar> bars, const Box& chart);

class GpuUseChart {
 public:
  struct Content {
    std::span<const report::ReportBar> bars;
    std::optional<std::size_t> chosen;  // the bar of the selected row
  };
  // Returns the bar that was clicked.
  std::optional<std::size_t> draw(Frame& frame, const Box& box, const Content& content) const;
};

}  // namespace dlview::ui
