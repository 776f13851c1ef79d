#include "ui/views/iterations/iterations.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/iteration_name.h"
#include "ui/chart/navigation.h"
#include "ui/chart/outliers.h"
#include "ui/text.h"
#include "ui/views/dashboard/summary.h"
#include "ui/views/iterations/comparison.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kSmallestChart = 200;
constexpr float kSliderHeight = 22;
constexpr float kScrollStep = 60;
constexpr std::string_view kHint =
    "Scroll: zoom · Ctrl+scroll: scale · Drag: pan · Shift+drag: move range · Click: compare · "
    "Ctrl+click: set baseline";
// Of the panels below the chart, before they have been drawn once.
constexpr float kPanelsHeight = 330;
// Two iterations with more op instances than this are compared when one is selected, but not while
// the mouse passes over it.
constexpr int64_t kMostInstancesOnHover = 200'000;

std::shared_ptr<const ShownRows> all_rows_of(TableData data) {
  const auto shown = std::make_shared<ShownRows>();
  shown->rows.resize(data.table.row_count);
  std::iota(shown->rows.begin(), shown->rows.end(), 0U);
  shown->data = std::make_shared<const TableData>(std::move(data));
  return shown;
}

// How far down the list of key ops may reach, so that the chart has room below it.
float list_limit(const Frame& frame, const Box& box) {
  return box.bottom - frame.px(kSmallestChart + kSliderHeight + 4 * kGap);
}

int64_t instances_of(const aggregate::IterationTable& table, int64_t iteration) {
  const auto& row = table.iterations.rows[static_cast<std::size_t>(iteration)];
  return static_cast<int64_t>(row.last_instance) - static_cast<int64_t>(row.first_instance);
}

// Returns the bottom.
float draw_why_not_side_by_side(Frame& frame, const Area& area) {
  constexpr std::string_view kLabel = "Compare in Timeline";
  constexpr std::string_view kReason = "Compare needs two iterations.";
  const float bottom = area.top + frame.px(kControlHeight);
  draw_button(frame, "iterations/side_by_side", area.left, area.top, kLabel, ButtonKind::plain,
              false);
  const float left = area.left + button_width(frame, kLabel) + frame.px(8);
  draw_text_in(frame.fonts().text, {left, area.top, area.right(), bottom}, frame.palette().dim,
               kReason);
  frame.inspector.record_value("iterations/side_by_side", kReason);
  return bottom;
}

}  // namespace

void IterationsView::prepare(const Model& model, Background& background) {
  const auto& table = model.aggregation->iteration_table;
  if (!data_.is_of(table.get(), hidden_)) {
    const bool other_cut = data_.count() == 0 || data_.table().iterations != table->iterations;
    data_ = BarData(table, hidden_);
    if (other_cut) {
      chart_.span = whole_span(data_.count());
      chart_.height = 1;
      clocks_ = prepare_clocks(*model.profile, *model.aggregation);
    }
  }
  const std::optional<UnknownUseTimes> times = unknown_time_data_.times(model, background);
  if (prepared_for_ == model.aggregation && unknown_times_ == times) return;
  prepared_for_ = model.aggregation;
  unknown_times_ = times;
  summary_ = prepare_summary(*model.profile, *model.aggregation,
                             efficiency_of(*model.profile, *model.aggregation, times));
  single_note_ = prepare_single_iteration(*model.profile, *model.aggregation);
  slowest_ = aggregate::slowest_iteration(*table, model.aggregation->selection.range);
}

void IterationsView::prepare_comparison_of(const Model& model, std::optional<int64_t> hovered) {
  const aggregate::IterationTable& table = *model.aggregation->whole().iteration_table;
  std::optional<ComparedIterations> compared = compared_iterations(model, slowest_);
  if (!compared) return compared_.reset();
  if (hovered && instances_of(table, *hovered) + instances_of(table, compared->baseline) <=
                     kMostInstancesOnHover) {
    compared->iteration = *hovered;
    compared->is_slowest = *hovered == slowest_;
  }
  const bool is_other =
      !compared_ || compared_->table != &table || compared_->iterations != *compared;
  if (is_other) list_.first = 0;
  const aggregate::Outliers* outliers = model.outliers.get();
  const Compared wanted{&table, outliers, *compared, list_};
  if (compared_ == wanted) return;
  compared_ = wanted;
  const auto comparison =
      std::make_shared<const aggregate::IterationComparison>(aggregate::compare_iterations(
          *model.profile, table, compared->iteration, compared->baseline));
  comparison_ = prepare_comparison(*model.profile, table.iterations, *comparison, *compared,
                                   find_outlier(*outliers, compared->iteration),
                                   {*model.profile, *model.aggregation}, list_);
  const auto differences = list_.kernels ? kernel_differences : op_differences;
  comparison_.whole = all_rows_of(differences(model.profile, model.aggregation, comparison));
}

// An iteration that was selected elsewhere is brought into view once.
void IterationsView::show_selected(const Model& model) {
  if (shown_selected_ == model.compared.iteration) return;
  shown_selected_ = model.compared.iteration;
  if (!shown_selected_) return;
  const auto at = static_cast<double>(*shown_selected_);
  Span& span = chart_.span;
  if (at >= span.first && at + 1 <= span.last) return;
  span = panned(span, at + 0.5 - (span.first + span.last) / 2, data_.count());
}

bool IterationsView::shows_preview(const Model& model) const {
  return toolbar_.picker.is_previewing() && model.preview_table != nullptr;
}

ChartResult IterationsView::draw_chart_or_preview(Frame& frame, const Box& chart, BarLayer& bars) {
  if (!shows_preview(frame.model)) {
    return draw_chart(frame, chart, {data_, current_range(frame.model)}, chart_, bars);
  }
  const auto& table = frame.model.preview_table;
  if (!preview_.is_of(table.get(), hidden_)) preview_ = BarData(table, hidden_);
  ChartState state;
  state.span = whole_span(preview_.count());
  draw_chart(frame, chart, {preview_, {0, preview_.count() - 1}, true}, state, bars);
  const std::string text =
      fmt::format("Preview: {}", base::counted(preview_.count(), "iterations"));
  draw_text(frame.fonts().strong, plot_in(frame, chart, preview_, state).left, chart.top,
            frame.palette().accent, text);
  frame.inspector.record_value("iterations/preview", text);
  return {};
}

float IterationsView::draw_slider_and_legend(Frame& frame, const Area& area, const Box& chart) {
  ChartState all;  // a few iterations do not fill the chart
  all.span = whole_span(data_.count());
  const Plot plot = plot_in(frame, chart, data_, all);
  const float left = plot.left, right = plot.left + plot.width;
  float y = chart.bottom;
  if (data_.count() > 1) {
    const SliderInput input{current_range(frame.model), data_.count(), chart_.span};
    const auto slid = draw_range_slider(
        frame, "iterations/slider", {left, y, right, y + frame.px(kSliderHeight)}, input, slider_);
    if (slid) frame.host.select(frame.model.selection.with_range(*slid));
  }
  y += frame.px(kSliderHeight) + frame.px(6);
  return draw_chart_legend(frame, {left, y, area.right() - left}, hidden_,
                           data_.count() > 1 ? kHint : "");
}

void IterationsView::draw(Frame& frame, const Box& box, const ViewTools& tools) {
  draw(frame, box, tools.bars, tools.tables.background);
}

void IterationsView::draw(Frame& frame, const Box& box, BarLayer& bars, Background& background) {
  // Escape closes a popup first.
  const bool popup_is_open = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId);
  prepare(frame.model, background);
  show_selected(frame.model);
  ScrollArea scroll(frame, "iterations", box, false);
  const Area area = scroll.area();
  const float gap = frame.px(kGap);
  const ToolbarInput input{current_range(frame.model),
                           data_.count(),
                           {area.left, area.top, area.right(), list_limit(frame, box)},
                           clocks_};
  const float toolbar_bottom = draw_toolbar(frame, area, input, toolbar_, chart_.span);

  // The chart takes what the slider, the legend and the panels leave; below the open list of key
  // ops it shows what that looks at, and the panels have to give way.
  const std::optional<float> list_bottom = toolbar_.picker.list_bottom();
  const float panels = list_bottom          ? 0
                       : panels_height_ > 0 ? panels_height_
                                            : frame.px(kPanelsHeight);
  const float below = frame.px(kSliderHeight) + 2 * gap + line_height(frame.fonts().small) + panels;
  const float chart_top = list_bottom.value_or(toolbar_bottom) + frame.px(6);
  const float chart_bottom =
      std::max(chart_top + frame.px(kSmallestChart), std::floor(box.bottom - gap - below));
  const Box chart{area.left, chart_top, area.right(), chart_bottom};
  const ChartResult result = draw_chart_or_preview(frame, chart, bars);
  if (data_.count() == 1 && !shows_preview(frame.model)) draw_single_iteration_note(frame, chart);
  const float panels_top = draw_slider_and_legend(frame, area, chart) + gap;
  prepare_comparison_of(frame.model, result.hovered);
  const float bottom = draw_panels(frame, area.below(panels_top));
  panels_height_ = bottom - panels_top;
  scroll.end_at(bottom);
  // Above the chart and its controls the wheel has other tasks.
  const float wheel = ImGui::GetIO().MouseWheel;
  if (wheel != 0 && hovered({area.left, panels_top, area.right(), box.bottom})) {
    ImGui::SetScrollY(ImGui::GetScrollY() - wheel * frame.px(kScrollStep));
  }

  if (result.dragged_to) frame.host.select(frame.model.selection.with_range(*result.dragged_to));
  if (result.clicked && ImGui::GetIO().KeyCtrl) {
    frame.host.select_baseline(result.clicked);
  } else if (result.clicked) {
    frame.host.select_iteration(result.clicked);
  }
  if (frame.model.compared != workspace::IterationPair{} && !popup_is_open &&
      !ImGui::GetIO().WantTextInput && pressed(ImGuiKey_Escape)) {
    frame.host.select_iteration(std::nullopt);
    frame.host.select_baseline(std::nullopt);
  }
}

float IterationsView::draw_panels(Frame& frame, const Area& area) {
  const float gap = frame.px(kGap);
  float y = area.top;
  if (compared_) {
    y = gap +
        draw_comparison(frame, area, compared_->iterations, data_.count(), comparison_, list_);
  }
  const aggregate::IterationRange range = frame.model.aggregation->selection.range;
  PanelRow row(frame, y);
  const Area body = draw_heading(frame, row.begin_panel(area.left, area.width),
                                 {"Key figures of the range", "", range_text(range), ""});
  row.end_panel(draw_compact_figures(frame, "iterations", body, summary_));
  return row.finish();
}

void IterationsView::draw_single_iteration_note(Frame& frame, const Box& chart) const {
  const Plot plot = plot_in(frame, chart, data_, chart_);
  const float left = plot.right() + frame.px(40);
  PanelRow row(frame, plot.top + std::round(plot.height * 0.25f));
  const float width = std::min(frame.px(480), chart.right - left - frame.px(20));
  const Area area = row.begin_panel(left, width);
  const float y =
      draw_wrapped(frame.fonts().strong, area, frame.palette().text, single_note_.reason);
  const float advice_bottom = draw_wrapped(frame.fonts().text, area.below(y + frame.px(6)),
                                           frame.palette().dim, single_note_.advice);
  row.end_panel(draw_why_not_side_by_side(frame, area.below(advice_bottom + frame.px(10))));
  frame.inspector.record_value("iterations/single_note", single_note_.reason);
}

}  // namespace dlview::ui
