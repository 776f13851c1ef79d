// The iteration strip under the navigation bar: all iterations in miniature with the two bounds of
// the range, so that the range is at hand in every view but Iterations, which shows it large.
#pragma once

#include <memory>
#include <optional>

#include "ui/chart/bar_layer.h"
#include "ui/chart/bars.h"
#include "ui/chart/range_drag.h"
#include "ui/look.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kStripHeight = 74;  // of the box to give to draw(), times the scale

class IterationStrip {
 public:
  // Draws into the box and selects a range that was dragged. Needs an open profile and its
  // aggregation; keep one strip for as long as the profile is open.
  void draw(Frame& frame, const Box& box, BarLayer& bars);

 private:
  void prepare(const Model& model);

  BarData data_;
  std::optional<aggregate::IterationRange> steady_;
  Span span_;
  RangeDrag drag_;
};

}  // namespace dlview::ui
