#include "ui/views/iterations/iterations.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "aggregate/advice.h"
#include "base/units.h"
#include "ui/chart/current_range.h"
#include "ui/chart/navigation.h"
#include "ui/views/dashboard/shares.h"
#include "ui/views/dashboard/summary.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/scroll_area.h"

namespace dlview::ui {
namespace {

constexpr float kSmallestChart = 200;
constexpr float kSliderHeight = 22;
constexpr std::string_view kHint = "wheel zooms · drag pans · double-click shows all";
// Panel paddings, heading, bar and two lines of legend of the lower panels in one line of entries.
constexpr float kPanelsHeight = 128;

}  // namespace

void IterationsView::prepare(const Model& model) {
  const auto& table = model.aggregation->iteration_table;
  if (!data_.is_of(table.get(), hidden_)) {
    const bool other_table = data_.count() == 0 || &data_.table() != table.get();
    data_ = BarData(table, hidden_);
    if (other_table) {
      chart_.span = whole_span(data_.count());
      steady_ = aggregate::steady_range(table->iterations);
    }
  }
  if (prepared_for_ == model.aggregation) return;
  prepared_for_ = model.aggregation;
  breakdown_ = prepare_breakdown(*model.aggregation);
  summary_ = prepare_summary(*model.aggregation);
  single_note_ = prepare_single_iteration(*model.profile, *model.aggregation);
}

void IterationsView::draw(Frame& frame, const Box& box, BarLayer& bars) {
  prepare(frame.model);
  ScrollArea scroll(frame, "iterations", box, false);
  const Area area = scroll.area();
  const float gap = frame.px(kGap);
  const aggregate::IterationRange range = current_range(frame.model);
  const float toolbar_bottom =
      draw_toolbar(frame, area, {range, steady_, data_.count()}, toolbar_, chart_.span);

  // The chart takes what the slider, the legend and the panels leave.
  const float panels = panels_height_ > 0 ? panels_height_ : frame.px(kPanelsHeight);
  const float below = frame.px(kSliderHeight) + 2 * gap + line_height(frame.fonts().small) + panels;
  const float chart_top = toolbar_bottom + frame.px(6);
  const float chart_bottom =
      std::max(chart_top + frame.px(kSmallestChart), std::floor(box.bottom - gap - below));
  const Box chart{area.left, chart_top, area.right(), chart_bottom};
  auto wanted = draw_chart(frame, chart, data_, range, chart_, bars);
  float y = chart.bottom;
  const float plot_left = plot_in(frame, chart, data_, chart_.span).left;
  if (data_.count() > 1) {
    const Box track{plot_left, y, area.right() - frame.px(kRightMargin),
                    y + frame.px(kSliderHeight)};
    const auto slid =
        draw_range_slider(frame, "iterations/slider", track, range, data_.count(), slider_);
    if (slid) wanted = slid;
  } else {
    draw_single_iteration_note(frame, chart);
  }
  y += frame.px(kSliderHeight) + frame.px(6);
  const Area legend{plot_left, y, area.right() - frame.px(kRightMargin) - plot_left};
  y = draw_chart_legend(frame, legend, hidden_, data_.count() > 1 ? kHint : "");
  const float panels_top = y + gap;
  const float bottom = draw_range_panels(frame, area.below(panels_top));
  panels_height_ = bottom - panels_top;
  scroll.end_at(bottom);
  if (wanted) frame.host.select({frame.model.selection.cut, *wanted});
}

float IterationsView::draw_range_panels(Frame& frame, const Area& area) {
  const aggregate::IterationRange range = frame.model.aggregation->selection.range;
  const std::string detail =
      range.size() == 1 ? fmt::format("iteration {}", base::format_count(range.first))
                        : fmt::format("iterations {} – {}", base::format_count(range.first),
                                      base::format_count(range.last));
  const float gap = frame.px(kGap);
  const float left_width = std::round((area.width - gap) * 0.62f);
  PanelRow row(frame, area.top);
  Area inner = row.begin_panel(area.left, left_width);
  Area body = draw_heading(
      frame, inner, {"Resource usage of the range", "breakdown", detail, "exclusive shares"});
  row.end_panel(
      draw_stacked_bar(frame, "iterations/breakdown", body, breakdown_, hidden_parts_, kNoDevices));

  inner = row.begin_panel(area.left + left_width + gap, area.width - left_width - gap);
  body = draw_heading(frame, inner, {"Key figures of the range", "", "", ""});
  row.end_panel(draw_compact_figures(frame, "iterations", body, summary_));
  return row.finish();
}

void IterationsView::draw_single_iteration_note(Frame& frame, const Box& chart) const {
  const Plot plot = plot_in(frame, chart, data_, chart_.span);
  const float left = plot.right() + frame.px(40);
  PanelRow row(frame, plot.top + std::round(plot.height * 0.25f));
  const float width = std::min(frame.px(480), chart.right - left - frame.px(20));
  const Area area = row.begin_panel(left, width);
  const float y =
      draw_wrapped(frame.fonts().strong, area, frame.palette().text, single_note_.reason);
  row.end_panel(draw_wrapped(frame.fonts().text, area.below(y + frame.px(6)), frame.palette().dim,
                             single_note_.advice));
  frame.inspector.record_value("iterations/single_note", single_note_.reason);
}

}  // namespace dlview::ui
