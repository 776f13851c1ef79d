// Quadrants: shares of the math peak and of the memory bandwidth, with lines at the threshold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/views/limits/plot_marks.h"

namespace dlview::ui {

// The largest square in the box that leaves room for the axes: marks to the pixel.
Box quadrant_plot(const Frame& frame, const Box& box);
std::vector<PlacedMark> place_quadrant_marks(const report::Quadrants& quadrants, const Box& plot,
                                             float scale);

class QuadrantChart {
 public:
  PlotGesture draw(Frame& frame, const Box& box, const LimitData& data,
                   const report::Quadrants& quadrants, report::LimitRule rule,
                   const PlotSelection& selection);

 private:
  BoxSelect box_select_;
};

}  // namespace dlview::ui
