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

// State kept between frames.
struct ChartState {
  Span span;
  double height = 1;  // of the bars, as a factor of the height that fits
  RangeDrag drag;
  Span pan_from;  // the span when the button went down
  float pan_from_x = 0;
  bool moved = false;  // since then, so the release is no click
  BarPicture picture;
};

struct ChartInput {
  const BarData& data;
  aggregate::IterationRange range;
  bool is_preview = false;  // of another split: without dragging, selection and popup
};

struct ChartResult {
  std::optional<aggregate::IterationRange> dragged_to;
  std::optional<int64_t> hovered, clicked;  // iterations
};

// The plot within the chart's box. The margins hold the labels of the axes and the flags.
Plot plot_in(const Frame& frame, const Box& box, const BarData& data, const ChartState& state);

// Draws into the box and updates `state`.
ChartResult draw_chart(Frame& frame, const Box& box, const ChartInput& input, ChartState& state,
                       BarLayer& bars);

// Toggles for the categories of the bars. `hint` is dim at the right if there is room. Returns the
// bottom.
float draw_chart_legend(Frame& frame, const Area& area, HiddenCategories& hidden,
                        std::string_view hint);

}  // namespace dlview::ui
