// Draws lanes of sampled GPU metrics: areas on an axis from 0% to 100%, with a band from the least
// to the largest sample of a column and a line of their mean.
#pragma once

#include <string>
#include <vector>

#include "render/rectangles.h"
#include "timeline/metric_lane.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Of one row. `picture` has a column for each pixel of the box.
void add_metric_row(const Palette& palette, const timeline::MetricLane& lane,
                    const timeline::MetricPicture& picture, const Box& box,
                    std::vector<render::Rectangle>& rectangles);

// The means of the parts in a stretch of time: "54.3 + 27.2%", "1.41 GHz"; "" without samples.
std::string means_text(const timeline::MetricLane& lane, const base::Interval& time);

// Time, values with their unit, and "Sampled every 102 µs".
void show_metric_tooltip(Frame& frame, const timeline::MetricLane& lane,
                         const timeline::MetricPicture& picture, int32_t column,
                         const base::Interval& time);

}  // namespace dlview::ui
