#include "ui/views/dashboard/dashboard.h"

#include <algorithm>
#include <cmath>

#include "ui/views/dashboard/iteration_summary.h"
#include "ui/views/dashboard/shares.h"
#include "ui/views/dashboard/summary.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/scroll_area.h"

namespace dlview::ui {
namespace {

constexpr float kKernelDetailsWidth = 330;
constexpr float kDataTypesWidth = 460;  // names are long
constexpr float kMediumFrom = 900;      // widths of the design, before scaling
constexpr float kWideFrom = 2100;
constexpr float kChartHeight = 68;
constexpr float kTallChartHeight = 200;  // beside the system configuration

}  // namespace

DashboardContent prepare_dashboard(const profile::Profile& profile,
                                   const aggregate::Aggregation& aggregation,
                                   const std::string& viewer_version) {
  DashboardContent content;
  content.summary = prepare_summary(aggregation);
  content.breakdown = prepare_breakdown(aggregation);
  content.kernel_time = prepare_kernel_time(aggregation);
  content.tensor_core_efficiency = prepare_tensor_core_efficiency(aggregation);
  content.devices = prepare_devices(profile, aggregation);
  content.top_ops = prepare_top_ops(profile, aggregation);
  content.system = prepare_system(profile, viewer_version);
  content.findings = prepare_findings(aggregation);
  content.data_types = prepare_data_types(profile, aggregation);
  return content;
}

const DashboardView::Layout& DashboardView::layout_for(float width) {
  static const Layout kNarrow{{{{Panel::breakdown, 2}},
                               {{Panel::kernel_time, 1}, {Panel::tensor_cores, 1}},
                               {{Panel::iterations, 2}},
                               {{Panel::top_ops, 2}},
                               {{Panel::findings, 2}},
                               {{Panel::devices, 1}, {Panel::system, 1}},
                               {{Panel::guidance, 2}}},
                              kChartHeight};
  static const Layout kMedium{{{{Panel::breakdown, 2}, {Panel::kernel_time, 1}},
                               {{Panel::iterations, 2}, {Panel::tensor_cores, 1}},
                               {{Panel::top_ops, 2}, {Panel::findings, 1}},
                               {{Panel::devices, 1}, {Panel::system, 1}, {Panel::guidance, 1}}},
                              kChartHeight};
  static const Layout kWide{
      {{{Panel::breakdown, 2}, {Panel::kernel_time, 1}, {Panel::tensor_cores, 1}},
       {{Panel::top_ops, 2}, {Panel::findings, 1}, {Panel::devices, 1}},
       {{Panel::iterations, 2}, {Panel::system, 1}, {Panel::guidance, 1}}},
      kTallChartHeight};
  return width >= kWideFrom ? kWide : width >= kMediumFrom ? kMedium : kNarrow;
}

void DashboardView::prepare(const Model& model) {
  if (prepared_for_ == model.aggregation) return;
  prepared_for_ = model.aggregation;
  content_ = prepare_dashboard(*model.profile, *model.aggregation, model.version);
  const auto& table = model.aggregation->iteration_table;
  if (!bar_data_.is_of(table.get(), {})) bar_data_ = BarData(table, {});
}

void DashboardView::draw(Frame& frame, const Box& box, BarLayer& bars) {
  prepare(frame.model);
  const DetailsKind kind = details(frame.model);
  const float wanted = kind == DetailsKind::kernels ? kKernelDetailsWidth : kDataTypesWidth;
  const float pane =
      kind == DetailsKind::none ? 0 : std::min(frame.px(wanted), std::round(box.width() * 0.5f));
  {
    ScrollArea scroll(frame, "dashboard", {box.left, box.top, box.right - pane, box.bottom});
    scroll.end_at(draw_rows(frame, scroll.area(), bars));
  }
  if (pane == 0) return;
  const auto kernels = prepare_kernel_details(*frame.model.aggregation, frame.palette());
  const Box pane_box{box.right - pane, box.top, box.right, box.bottom};
  if (!draw_details_pane(frame, pane_box, kind, kernels, content_.data_types)) close_details(frame);
}

DetailsKind DashboardView::details(const Model& model) const {
  if (shows_data_types_) return DetailsKind::data_types;
  return model.kernel_details ? DetailsKind::kernels : DetailsKind::none;
}

void DashboardView::close_details(Frame& frame) {
  shows_data_types_ = false;
  if (frame.model.kernel_details) frame.host.run_command("view.kernel_details");
}

float DashboardView::draw_rows(Frame& frame, const Area& area, BarLayer& bars) {
  const float gap = frame.px(kGap);
  float y = draw_key_figures(frame, "dashboard", area, content_.summary);
  const Layout& layout = layout_for(area.width / frame.look.scale);
  for (const std::vector<Cell>& cells : layout.rows) {
    int columns = 0;
    for (const Cell& cell : cells) columns += cell.columns;
    const float step = (area.width + gap) / static_cast<float>(columns);
    PanelRow row(frame, y + gap);
    int column = 0;
    for (const Cell& cell : cells) {
      const float left = std::round(area.left + static_cast<float>(column) * step);
      column += cell.columns;
      const float right = std::round(area.left + static_cast<float>(column) * step - gap);
      const Area inner = row.begin_panel(left, right - left);
      row.end_panel(draw_panel(frame, layout, cell.panel, inner, bars));
    }
    y = row.finish();
  }
  return y;
}

float DashboardView::draw_panel(Frame& frame, const Layout& layout, Panel panel, const Area& area,
                                BarLayer& bars) {
  switch (panel) {
    case Panel::breakdown: {
      const Area body = draw_heading(
          frame, area, {"Resource usage", "breakdown", "", "exclusive shares of time"});
      return draw_stacked_bar(frame, "dashboard/breakdown", body, content_.breakdown,
                              hidden_breakdown_, kNoDevices);
    }
    case Panel::kernel_time:
      return draw_kernel_time(frame, area);
    case Panel::tensor_cores:
      return draw_tensor_cores(frame, area);
    case Panel::iterations:
      return draw_iteration_summary(frame, area, layout.chart_height, bar_data_, bars);
    case Panel::top_ops:
      return draw_top_ops(frame, area, content_.top_ops);
    case Panel::findings:
      return draw_advice(frame, area);
    case Panel::devices:
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

float DashboardView::draw_kernel_time(Frame& frame, const Area& area) {
  const Area body =
      draw_heading(frame, area, {"Kernel GPU time", "kernel_gpu_time", "plain sum", ""});
  if (draw_heading_link(frame, area, "dashboard/kernel_time/details", "Details ›")) {
    if (!shows_data_types_ || !frame.model.kernel_details) {
      frame.host.run_command("view.kernel_details");
    }
    shows_data_types_ = false;
  }
  return draw_stacked_bar(frame, "dashboard/kernel_time", body, content_.kernel_time,
                          hidden_kernel_time_,
                          "No kernel and no memory operation ran in this range.");
}

float DashboardView::draw_tensor_cores(Frame& frame, const Area& area) {
  const Area body = draw_heading(
      frame, area, {"Tensor Core kernel efficiency", "tensor_core_efficiency", "", "plain sum"});
  return draw_stacked_bar(frame, "dashboard/tensor_core_efficiency", body,
                          content_.tensor_core_efficiency, hidden_tensor_cores_,
                          "No op that is eligible for Tensor Cores ran a kernel in this range.");
}

float DashboardView::draw_advice(Frame& frame, const Area& area) {
  const FindingsResult result = draw_findings(frame, area, content_.findings);
  if (result.opened != nullptr) {
    if (result.opened->action == FindingAction::show_data_types) {
      shows_data_types_ = true;
    } else {
      frame.host.show(ViewId::iterations);
      if (result.opened->range) {
        frame.host.select({frame.model.selection.cut, *result.opened->range});
      }
    }
  }
  return result.bottom;
}

}  // namespace dlview::ui
