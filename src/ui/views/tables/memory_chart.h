// The memory of each device over the time of the range: steps of what PyTorch's allocators have
// given out, and a line above them of what they have reserved.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

using MemoryCurves = std::vector<aggregate::MemoryCurve>;

// "cuda:0 · GPU 2": as PyTorch numbers the device, and as the other views do if that is known.
std::string name_of(const profile::Profile& profile, const aggregate::MemoryCurve& curve,
                    const std::optional<profile::DeviceIndex>& gpu);

// The charts of all devices, one above the other.
class MemoryChart {
 public:
  // Fills the box; more devices than have room scroll. Null = the curves are not there yet.
  void draw(Frame& frame, const Box& box, const std::shared_ptr<const MemoryCurves>& curves,
            const base::Interval& time);

 private:
  struct Device {
    const aggregate::MemoryCurve* curve = nullptr;  // of curves_
    std::string name;
    MemoryPlot plot;
  };
  void prepare(const profile::Profile& profile, const std::shared_ptr<const MemoryCurves>& curves,
               const base::Interval& time, int32_t columns);
  void draw_device(Frame& frame, const Box& box, const Device& device) const;

  std::shared_ptr<const MemoryCurves> curves_;
  base::Interval time_;
  timeline::TimeMap map_{{}, 1};
  std::vector<Device> devices_;  // with a chart, for these and map_
};

}  // namespace dlview::ui
