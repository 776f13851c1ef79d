// The memory of each device over the time of the range: steps of what PyTorch's allocators have
// given out, and a line above them of what they have reserved.
#pragma once

#include <string>
#include <vector>

#include "aggregate/memory_use.h"
#include "base/intervals.h"
#include "timeline/time_window.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// What a chart of a device shows in a window, for each pixel column the most in it.
struct MemoryPlot {
  std::vector<aggregate::MemoryCurve::Use> columns;
  aggregate::MemoryCurve::Peak peak;  // of the window
  int64_t top = 0;                    // the value at the upper edge: the most of all columns
};
// Takes time proportional to the columns, and to the logarithm of the events.
MemoryPlot prepare_memory_plot(const aggregate::MemoryCurve& curve, const timeline::TimeMap& map);

// Fills the box; more devices than have room scroll.
void draw_memory_chart(Frame& frame, const Box& box,
                       const std::vector<aggregate::MemoryCurve>& curves,
                       const base::Interval& time);

}  // namespace dlview::ui
