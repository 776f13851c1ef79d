// The large chart of all iterations: axes, bars, the two bounds with their flags, zooming, panning
// and the popup.
#pragma once

#include <optional>
#include <string_view>

#include "ui/chart/bar_layer.h"
#include "ui/chart/bars.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Kept between frames.
struct ChartState {
  Span span;
  Span pan_from;  // the span when the drag began
  float pan_from_x = 0;
};

inline constexpr float kRightMargin = 12;  // half a slider's handle and air

// Where the plot lies within the chart's box; margins hold the axes' labels and the flags.
Plot plot_in(const Frame& frame, const Box& box, const BarData& data, Span span);

// Draws into the box and moves `state`; returns a range that was dragged.
std::optional<aggregate::IterationRange> draw_chart(Frame& frame, const Box& box,
                                                    const BarData& data,
                                                    aggregate::IterationRange range,
                                                    ChartState& state, BarLayer& bars);

// Toggles for the categories; a hidden one leaves the bars. `hint` is dim at the right, where there
// is room. Returns the bottom.
float draw_chart_legend(Frame& frame, const Area& area, HiddenCategories& hidden,
                        std::string_view hint);

}  // namespace dlview::ui
