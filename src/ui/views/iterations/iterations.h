// The Iterations view: all iterations as stacked bars, every way to move the range, two iterations
// side by side, and the figures of the range, which follow while a bound is dragged.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ui/chart/bars.h"
#include "ui/view.h"
#include "ui/views/dashboard/shares.h"
#include "ui/views/iterations/chart.h"
#include "ui/views/iterations/comparison.h"
#include "ui/views/iterations/key_ops.h"
#include "ui/views/iterations/toolbar.h"
#include "ui/widgets/figures.h"

namespace dlview::ui {

class IterationsView : public View {
 public:
  void draw(Frame& frame, const Box& box, const ViewTools& tools) override;
  void draw(Frame& frame, const Box& box, BarLayer& bars, Background& background);

 private:
  // What the comparison below the chart was prepared for.
  struct Compared {
    const aggregate::IterationTable* table = nullptr;
    const aggregate::Outliers* outliers = nullptr;
    ComparedIterations iterations;
    ComparisonList list;
    bool operator==(const Compared&) const = default;
  };

  void prepare(const Model& model, Background& background);
  void prepare_comparison_of(const Model& model, std::optional<int64_t> hovered);
  void show_selected(const Model& model);
  bool shows_preview(const Model& model) const;  // of what the open list of key ops looks at
  ChartResult draw_chart_or_preview(Frame& frame, const Box& chart, BarLayer& bars);
  float draw_slider_and_legend(Frame& frame, const Area& area, const Box& chart);
  float draw_panels(Frame& frame, const Area& area);
  void draw_single_iteration_note(Frame& frame, const Box& chart) const;

  std::shared_ptr<const aggregate::Aggregation> prepared_for_;
  UnknownTimeData unknown_time_data_;
  std::optional<UnknownUseTimes> unknown_times_;  // in the range of the aggregation
  std::vector<KeyFigure> summary_;
  SingleIterationNote single_note_;
  std::vector<ClockChoice> clocks_;
  int64_t slowest_ = 0;  // of the range
  BarData data_, preview_;
  HiddenCategories hidden_;
  ChartState chart_;
  RangeDrag slider_;
  ToolbarState toolbar_;
  std::optional<Compared> compared_;
  ComparisonTexts comparison_;
  ComparisonList list_;
  std::optional<int64_t> shown_selected_;  // that has been brought into view
  float panels_height_ = 0;                // of the last frame; 0 before the first
};

}  // namespace dlview::ui
