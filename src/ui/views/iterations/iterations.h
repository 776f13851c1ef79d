// The Iterations view: all iterations as stacked bars, every way to move the range, and below it
// the figures of the range, which follow while a bound is dragged.
#pragma once

#include <memory>
#include <vector>

#include "ui/chart/bar_layer.h"
#include "ui/chart/bars.h"
#include "ui/views/iterations/chart.h"
#include "ui/views/iterations/key_ops.h"
#include "ui/views/iterations/toolbar.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/range_slider.h"
#include "ui/widgets/stacked_bar.h"

namespace dlview::ui {

class IterationsView {
 public:
  // Needs an open profile and its aggregation.
  void draw(Frame& frame, const Box& box, BarLayer& bars);

 private:
  void prepare(const Model& model);
  float draw_range_panels(Frame& frame, const Area& area);
  void draw_single_iteration_note(Frame& frame, const Box& chart) const;

  std::shared_ptr<const aggregate::Aggregation> prepared_for_;
  std::vector<BarPart> breakdown_;
  std::vector<KeyFigure> summary_;
  SingleIterationNote single_note_;
  std::optional<aggregate::IterationRange> steady_;
  BarData data_;
  HiddenCategories hidden_;
  HiddenParts hidden_parts_ = 0;
  ChartState chart_;
  SliderDrag slider_;
  ToolbarState toolbar_;
  float panels_height_ = 0;  // of the last frame; 0 before the first
};

}  // namespace dlview::ui
