#include "ui/views/dashboard/dashboard.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "ui/table/tables.h"
#include "ui/views/dashboard/shares.h"
#include "ui/views/dashboard/summary.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kDetailsWidth = 460;  // names are long
constexpr float kMediumFrom = 900;    // widths of the design, before scaling
constexpr float kWideFrom = 2100;
constexpr float kChartHeight = 56;
constexpr float kTallChartHeight = 200;  // beside the system configuration
constexpr float kLowestRow = 22;         // of the top ops, to fit into the window
constexpr float kHighestRow = 34;
constexpr float kMostOpsRest = 60;
constexpr float kMostChartGrowth = 240;

}  // namespace

DashboardContent prepare_dashboard(const profile::Profile& profile,
                                   const aggregate::Aggregation& aggregation,
                                   std::optional<int64_t> unknown_use_ns,
                                   const aggregate::UnknownTensorCoreUse* unknown,
                                   const std::string& viewer_version) {
  DashboardContent content;
  content.summary = prepare_summary(profile, aggregation);
  content.breakdown = prepare_breakdown(profile, aggregation);
  content.communication = prepare_communication(aggregation);
  content.kernel_time = prepare_kernel_time(aggregation, unknown_use_ns);
  content.tensor_core_efficiency = prepare_tensor_core_efficiency(profile, aggregation);
  content.why_no_kernel_time = why_no_kernel_time(profile, aggregation);
  content.why_no_efficiency = why_no_efficiency(profile, aggregation);
  content.devices = prepare_devices(profile, aggregation);
  content.top_ops = prepare_top_ops(profile, aggregation, unknown);
  content.system = prepare_system(profile, viewer_version);
  content.top_kernels = prepare_top_kernels(profile, aggregation, unknown);
  content.missed_kernels = prepare_missed_kernels(profile, aggregation, unknown);
  content.eligible_ops = prepare_eligible_ops(profile, aggregation);
  return content;
}

const DashboardView::Layout& DashboardView::layout_for(float width) {
  static const Layout kNarrow{{{{Panel::breakdown, 2}},
                               {{Panel::kernel_time, 1}, {Panel::tensor_cores, 1}},
                               {{Panel::top_ops, 2}},
                               {{Panel::findings, 2}},
                               {{Panel::iterations, 2}},
                               {{Panel::devices, 1}, {Panel::system, 1}},
                               {{Panel::guidance, 2}}},
                              kChartHeight};
  static const Layout kMedium{{{{Panel::breakdown, 2}, {Panel::kernel_time, 1}},
                               {{Panel::top_ops, 2}, {Panel::findings, 1}},
                               {{Panel::iterations, 2}, {Panel::tensor_cores, 1}},
                               {{Panel::devices, 2}, {Panel::system, 3}, {Panel::guidance, 2}}},
                              kChartHeight};
  static const Layout kWide{
      {{{Panel::breakdown, 2}, {Panel::kernel_time, 1}, {Panel::tensor_cores, 1}},
       {{Panel::top_ops, 2}, {Panel::findings, 1}, {Panel::devices, 1}},
       {{Panel::iterations, 2}, {Panel::system, 1}, {Panel::guidance, 1}}},
      kTallChartHeight};
  return width >= kWideFrom ? kWide : width >= kMediumFrom ? kMedium : kNarrow;
}

void DashboardView::prepare(const Model& model, Background& background) {
  const std::optional<int64_t> unknown_ns = unknown_use_data_.gpu_ns(model, background);
  const auto unknown = unknown_use_data_.all();
  if (prepared_for_ == model.aggregation && unknown_use_ == unknown &&
      unknown_use_ns_ == unknown_ns) {
    return;
  }
  prepared_for_ = model.aggregation;
  unknown_use_ = unknown;
  unknown_use_ns_ = unknown_ns;
  content_ = prepare_dashboard(*model.profile, *model.aggregation, unknown_ns, unknown.get(),
                               model.version);
  const auto& table = model.aggregation->iteration_table;
  if (!bar_data_.is_of(table.get(), {})) bar_data_ = BarData(table, {});
}

void DashboardView::draw(Frame& frame, const Box& box, const ViewTools& tools) {
  draw(frame, box, tools.bars, tools.tables.background);
}

void DashboardView::draw(Frame& frame, const Box& box, BarLayer& bars, Background& background) {
  prepare(frame.model, background);
  findings_ = findings_data_.get(frame.model, background);
  const DetailsKind kind = details(frame.model);
  const float pane = kind == DetailsKind::none
                         ? 0
                         : std::min(frame.px(kDetailsWidth), std::round(box.width() * 0.5f));
  {
    ScrollArea scroll(frame, "dashboard", {box.left, box.top, box.right - pane, box.bottom});
    fit_to(frame, box.height() - 2 * frame.px(kGap));
    scroll.end_at(draw_rows(frame, scroll.area(), bars));
  }
  if (pane == 0) return;
  const Details shown{prepare_kernel_details(*frame.model.aggregation, frame.palette()),
                      content_.top_kernels, content_.missed_kernels, content_.eligible_ops};
  const Box pane_box{box.right - pane, box.top, box.right, box.bottom};
  if (!draw_details_pane(frame, pane_box, kind, shown)) close_details(frame);
}

void DashboardView::show(Frame& frame, DetailsKind kind) {
  shown_ = kind;
  if (frame.model.kernel_details) frame.host.run_command("view.kernel_details");
}

// The pane that was asked for last.
DetailsKind DashboardView::details(const Model& model) {
  if (model.kernel_details) shown_ = DetailsKind::none;
  return model.kernel_details ? DetailsKind::kernels : shown_;
}

void DashboardView::close_details(Frame& frame) {
  shown_ = DetailsKind::none;
  if (frame.model.kernel_details) frame.host.run_command("view.kernel_details");
}

// As many rows of panels as can be had whole in the window: the top ops take up or give way, and
// where all fit the chart takes the rest. What is too much to take up is left as it is.
void DashboardView::fit_to(const Frame& frame, float window_height) {
  if (fit_.bottoms.empty()) return;
  const auto rows = static_cast<float>(kTopOps);
  const float usual = frame.px(kRowHeight);
  const float lowest = frame.px(kLowestRow);
  const float highest = frame.px(kHighestRow);
  const float least = std::max(fit_.beside_ops_bottom, fit_.ops_bottom - rows * (usual - lowest));
  const float most_rest = frame.px(kMostOpsRest);
  const float most = fit_.ops_bottom + rows * (highest - usual) + most_rest;
  const float spare = window_height - fit_.bottoms.back();
  const bool all_fit = spare >= least - fit_.ops_row_bottom;
  float target = fit_.ops_row_bottom;
  for (const float bottom : fit_.bottoms) {
    const float wanted = fit_.ops_row_bottom + window_height - bottom;
    if (bottom < fit_.ops_row_bottom || wanted < least) continue;
    target = all_fit || wanted <= most ? wanted : fit_.ops_row_bottom;
  }
  const float in_window = std::max(window_height, fit_.ops_bottom);
  const float more = std::floor((std::min(target, in_window) - fit_.ops_bottom) / rows);
  const float row_height = std::clamp(usual + more, lowest, highest);
  fit_.row_height = row_height / frame.look.scale;
  const float ops_bottom = fit_.ops_bottom + rows * (row_height - usual);
  fit_.ops_rest = all_fit ? 0 : std::clamp(target - ops_bottom, 0.0f, most_rest);
  const float ops_row_bottom = std::max(ops_bottom + fit_.ops_rest, fit_.beside_ops_bottom);
  fit_.chart_growth =
      std::clamp(spare - (ops_row_bottom - fit_.ops_row_bottom), 0.0f, frame.px(kMostChartGrowth));
}

float DashboardView::growth_of(const Frame& frame, Panel panel) const {
  if (panel == Panel::iterations) return fit_.chart_growth;
  if (panel != Panel::top_ops) return 0;
  return fit_.ops_rest +
         static_cast<float>(kTopOps) * (frame.px(fit_.row_height) - frame.px(kRowHeight));
}

float DashboardView::draw_rows(Frame& frame, const Area& area, BarLayer& bars) {
  fit_.bottoms.clear();
  float y = draw_key_figures(frame, "dashboard", area, content_.summary);
  float grown = 0;  // how much higher than usual the rows so far are
  const Layout& layout = layout_for(area.width / frame.look.scale);
  for (const std::vector<Cell>& cells : layout.rows) {
    const DrawnRow row = draw_row(frame, area.below(y + frame.px(kGap)), layout, cells, bars);
    y = row.bottom;
    fit_.bottoms.push_back(row.usual_bottom - grown - area.top);
    grown += row.bottom - row.usual_bottom;
    if (row.usual_ops_bottom == 0) continue;
    fit_.ops_row_bottom = fit_.bottoms.back();
    fit_.ops_bottom = fit_.ops_row_bottom + row.usual_ops_bottom - row.usual_bottom;
    fit_.beside_ops_bottom = fit_.ops_row_bottom + row.usual_beside_bottom - row.usual_bottom;
  }
  return y;
}

DashboardView::DrawnRow DashboardView::draw_row(Frame& frame, const Area& area,
                                                const Layout& layout,
                                                const std::vector<Cell>& cells, BarLayer& bars) {
  const float gap = frame.px(kGap);
  int columns = 0;
  for (const Cell& cell : cells) columns += cell.columns;
  const float step = (area.width + gap) / static_cast<float>(columns);
  DrawnRow drawn;
  PanelRow row(frame, area.top);
  int column = 0;
  for (const Cell& cell : cells) {
    const float left = std::round(area.left + static_cast<float>(column) * step);
    column += cell.columns;
    const float right = std::round(area.left + static_cast<float>(column) * step - gap);
    const Area inner = row.begin_panel(left, right - left);
    const float bottom = draw_panel(frame, layout, cell.panel, inner, bars);
    row.end_panel(bottom);
    const float usual = bottom + frame.px(kPadding) - growth_of(frame, cell.panel);
    drawn.usual_bottom = std::max(drawn.usual_bottom, usual);
    float& bottom_of_kind =
        cell.panel == Panel::top_ops ? drawn.usual_ops_bottom : drawn.usual_beside_bottom;
    bottom_of_kind = std::max(bottom_of_kind, usual);
  }
  drawn.bottom = row.finish();
  return drawn;
}

float DashboardView::draw_panel(Frame& frame, const Layout& layout, Panel panel, const Area& area,
                                BarLayer& bars) {
  switch (panel) {
    case Panel::breakdown:
      return draw_breakdown(frame, area);
    case Panel::kernel_time:
      return draw_kernel_time(frame, area);
    case Panel::tensor_cores:
      return draw_tensor_cores(frame, area);
    case Panel::iterations:
      return draw_iteration_summary(frame, area, frame.px(layout.chart_height) + fit_.chart_growth,
                                    bar_data_, bar_picture_, bars);
    case Panel::top_ops: {
      const TopOpsResult result = draw_top_ops(frame, area, content_.top_ops, fit_.row_height);
      if (result.asked_why) show(frame, DetailsKind::ops);
      if (draw_heading_link(frame, area, "dashboard/top_ops/more", "All ops ›")) {
        frame.host.show(ViewId::ops);
      }
      return result.bottom + fit_.ops_rest;
    }
    case Panel::findings:
      return draw_advice(frame, area);
    case Panel::devices:
      if (content_.devices.rows.size() > 1 &&
          draw_heading_link(frame, area, "dashboard/devices/more", "GPUs ›")) {
        frame.host.show(ViewId::gpus);
      }
      return draw_devices(frame, area, content_.devices, hidden_devices_);
    case Panel::system: {
      const Area body = draw_heading(frame, area, {"System configuration", "", "", ""});
      return draw_key_values(frame, "dashboard/system", body, content_.system);
    }
    case Panel::guidance:
      return draw_guidance(frame, area);
  }
  return area.top;
}

float DashboardView::draw_breakdown(Frame& frame, const Area& area) {
  const Area body =
      draw_heading(frame, area, {"Resource usage", "breakdown", "", "exclusive shares of time"});
  const float bottom = draw_stacked_bar(frame, "dashboard/breakdown", body, content_.breakdown,
                                        hidden_breakdown_, kNoDevices);
  if (content_.communication.empty()) return bottom;
  return draw_communication(frame, area.below(bottom + frame.px(12)), content_.communication);
}

float DashboardView::draw_kernel_time(Frame& frame, const Area& area) {
  const Area body =
      draw_heading(frame, area, {"Kernel GPU time", "kernel_gpu_time", "plain sum", ""});
  if (draw_heading_link(frame, area, "dashboard/kernel_time/details", "Details ›")) {
    frame.host.run_command("view.kernel_details");
  }
  return draw_stacked_bar(frame, "dashboard/kernel_time", body, content_.kernel_time,
                          hidden_kernel_time_, content_.why_no_kernel_time);
}

float DashboardView::draw_tensor_cores(Frame& frame, const Area& area) {
  const Area body = draw_heading(frame, area,
                                 {"Tensor Core kernel efficiency", "tensor_core_efficiency", "",
                                  efficiency_note(content_.tensor_core_efficiency)});
  const BarPart* opened = nullptr;
  const float bottom = draw_stacked_bar(frame, "dashboard/tensor_core_efficiency", body,
                                        content_.tensor_core_efficiency, hidden_tensor_cores_,
                                        content_.why_no_efficiency, &opened);
  if (opened != nullptr) show(frame, DetailsKind::missed_kernels);
  return bottom;
}

float DashboardView::draw_advice(Frame& frame, const Area& area) {
  const FindingsResult result =
      draw_findings(frame, area, findings_.get(), findings_data_.is_late());
  if (result.opened != nullptr) open(frame, *result.opened);
  if (result.in_timeline != nullptr) {
    timeline_request_ = {.window = {},
                         .iteration = {},
                         .stretch = result.in_timeline->time,
                         .device = result.in_timeline->device};
  }
  return result.bottom;
}

void DashboardView::open(Frame& frame, const FindingRow& finding) {
  switch (finding.action) {
    case FindingAction::none:
      return;
    case FindingAction::show_ops:
      return frame.host.show_table(ViewId::ops, {"ops", finding.ops});
    case FindingAction::show_kernels:
      if (!frame.model.kernel_details) frame.host.run_command("view.kernel_details");
      return;
    case FindingAction::show_devices:
      return frame.host.show(ViewId::gpus);
    case FindingAction::show_system:
      return frame.host.show(ViewId::system);
    case FindingAction::show_iterations:
      frame.host.show(ViewId::iterations);
      if (finding.range) frame.host.select(frame.model.selection.with_range(*finding.range));
      return;
  }
}

}  // namespace dlview::ui
