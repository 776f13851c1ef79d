// The large chart of all iterations: axes, bars, the two bounds with their flags, marks of
// outliers, zooming, panning, selecting and the popup.
#pragma once

#include <optional>
#include <string_view>

#include "ui/chart/bars.h"
#include "ui/chart/navigation.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Kept between frames.
struct ChartState {
  Span span;
  double height = 1;  // of the bars, times the fitting one
  RangeDrag drag;
  Span pan_from;  // the span when the button went down
  float pan_from_x = 0;
  bool moved = false;  // since then: no click
  BarPicture picture;
};

struct ChartInput {
  const BarData& data;
  aggregate::IterationRange range;
  bool is_preview = false;  // of another cut: nothing can be dragged, selected or told
};

struct ChartResult {
  std::optional<aggregate::IterationRange> dragged_to;
  std::optional<int64_t> hovered, clicked;  // iterations
};

// Where the plot lies within the chart's box; margins hold the axes' labels and the flags.
Plot plot_in(const Frame& frame, const Box& box, const BarData& data, const ChartState& state);
// Of the box, free for the last number of the slider and half its handle.
float right_margin(const Frame& frame, int64_t count);

// Draws into the box and moves `state`.
ChartResult draw_chart(Frame& frame, const Box& box, const ChartInput& input, ChartState& state,
                       BarLayer& bars);

// Whole numbers below, with those of the ranges where these count otherwise; round durations at the
// left.
void draw_axes(const Frame& frame, const Box& box, const Plot& plot,
               const aggregate::IterationTable& table);

// Toggles for the categories; a hidden one leaves the bars. `hint` is dim at the right, where there
// is room. Returns the bottom.
float draw_chart_legend(Frame& frame, const Area& area, HiddenCategories& hidden,
                        std::string_view hint);

}  // namespace dlview::ui
