// The large chart of all iterations: axes, bars, the two bounds with their flags, marks of
// outliers, zooming, panning, selecting and the popup.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/chart/bars.h"
#include "ui/chart/navigation.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Where the axes of a chart have their marks: round durations and round iteration numbers.

struct Tick {
  double value = 0;
  std::string label;
};

// From 0 to at most `maximum_ns`, no more than `most` marks above 0 (two or more), all labels in
// one unit with equal decimals: "0 ms", "100 ms", "200 ms".
std::vector<Tick> duration_ticks(double maximum_ns, int most);

// Multiples of 1, 2 or 5 times a power of ten in [first, last]; at most `most` of them.
std::vector<Tick> iteration_ticks(int64_t first, int64_t last, int most);

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

// Draws into the box and moves `state`.
ChartResult draw_chart(Frame& frame, const Box& box, const ChartInput& input, ChartState& state,
                       BarLayer& bars);

// Toggles for the categories; a hidden one leaves the bars. `hint` is dim at the right, where there
// is room. Returns the bottom.
float draw_chart_legend(Frame& frame, const Area& area, HiddenCategories& hidden,
                        std::string_view hint);

}  // namespace dlview::ui
