#include "ui/views/dashboard/dashboard.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "aggregate/limits/headroom.h"
#include "ui/data_quality.h"
#include "ui/table/tables.h"
#include "ui/views/dashboard/shares.h"
#include "ui/views/dashboard/summary.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kDetailsWidth = 460;                              // names are long
constexpr float kTwoColumnsFrom = 900, kThreeColumnsFrom = 2100;  // before scaling
constexpr float kPairFrom = 700;       // panels with a bar stand side by side
constexpr float kTallFrom = 900;       // height from which more findings are unfolded
constexpr float kMostSplitName = 200;  // on the button

// The title of a panel that has nothing to show, and why, in one line where it fits.
float draw_reason(Frame& frame, const Area& area, std::string_view title, std::string_view why) {
  const Fonts& fonts = frame.fonts();
  draw_text(fonts.strong, area.left, area.top, frame.palette().text, title);
  const float left = area.left + text_width(fonts.strong, title) + frame.px(10);
  const float bottom = area.top + line_height(fonts.strong);
  return std::max(bottom, draw_wrapped(fonts.text, {left, area.top, area.right() - left},
                                       frame.palette().dim, why));
}

bool is_split(const Model& model) {
  return model.aggregation->iteration_table->iterations.rows.size() > 1;
}

}  // namespace

DashboardContent prepare_dashboard(const profile::Profile& profile,
                                   const aggregate::Aggregation& aggregation,
                                   const std::optional<UnknownUseTimes>& unknown_times,
                                   const aggregate::UnknownTensorCoreUse* unknown,
                                   const std::string& viewer_version) {
  DashboardContent content;
  const std::optional<int64_t> unknown_ns =
      unknown_times ? std::optional(unknown_times->gpu_ns) : std::nullopt;
  const std::optional<aggregate::KnownEfficiency> known =
      efficiency_of(profile, aggregation, unknown_times);
  content.summary = prepare_summary(profile, aggregation, known);
  content.waterfall = prepare_waterfall(profile, aggregation, unknown_ns);
  content.kernel_time = prepare_kernel_time(aggregation, unknown_ns);
  if (known) content.tensor_core_efficiency = prepare_tensor_core_efficiency(*known);
  content.why_no_kernel_time = why_no_kernel_time(profile, aggregation);
  content.why_no_efficiency = why_no_efficiency(profile, aggregation, known);
  if (known) content.not_counted = not_counted_text(*known);
  content.no_gpu_activity = lack_text(profile, profile::Evidence::gpu_work);
  content.devices = prepare_devices(profile, aggregation);
  content.top_ops = prepare_top_ops(profile, aggregation, unknown);
  for (KeyValue& entry : prepare_system(profile, viewer_version)) {
    if (!entry.value.empty()) {
      content.system.push_back(std::move(entry));
    } else {
      content.unknown_system += content.unknown_system.empty() ? "Not recorded: " : ", ";
      content.unknown_system += entry.label;
    }
  }
  content.top_kernels = prepare_top_kernels(profile, aggregation, unknown);
  content.missed_kernels = prepare_missed_kernels(profile, aggregation, unknown, unknown_times);
  content.eligible_ops = prepare_eligible_ops(profile, aggregation, unknown);
  return content;
}

const std::vector<DashboardView::Column>& DashboardView::columns_for(float width) {
  using enum Panel;
  static const std::vector<Column> kOne{
      {1, {findings, whole_run, breakdown, top_ops, kernel_time, tensor_cores, devices, system}}};
  static const std::vector<Column> kTwo{
      {0.57f, {findings, top_ops}},
      {0.43f, {whole_run, breakdown, kernel_time, tensor_cores, devices, system}}};
  static const std::vector<Column> kThree{
      {0.38f, {findings}},
      {0.26f, {whole_run, breakdown, kernel_time, tensor_cores}},
      {0.36f, {top_ops, devices, system}}};
  return width >= kThreeColumnsFrom ? kThree : width >= kTwoColumnsFrom ? kTwo : kOne;
}

void DashboardView::prepare(const Model& model, Background& background) {
  findings_ = findings_data_.get(model, background);
  busy_ = is_split(model) ? nullptr : busy_data_.get(model, background);
  const std::optional<UnknownUseTimes> times = unknown_time_data_.times(model, background);
  const auto& unknown = model.unknown_use;
  const bool is_same =
      prepared_for_ == model.aggregation && unknown_use_ == unknown && unknown_times_ == times;
  if (is_same && headline_for_ == findings_) return;
  if (!is_same) {
    prepared_for_ = model.aggregation;
    unknown_use_ = unknown;
    unknown_times_ = times;
    content_ =
        prepare_dashboard(*model.profile, *model.aggregation, times, unknown.get(), model.version);
  }
  headline_for_ = findings_;
  headline_ = prepare_headline(content_.summary, findings_.get());
}

void DashboardView::draw(Frame& frame, const Box& box, const ViewTools& tools) {
  draw(frame, box, tools.tables.background);
}

void DashboardView::draw(Frame& frame, const Box& box, Background& background) {
  prepare(frame.model, background);
  shows_what_if_ = frame.model.what_if;
  const DetailsKind kind = details(frame.model);
  const float pane = kind == DetailsKind::none && !frame.model.what_if
                         ? 0
                         : std::min(frame.px(kDetailsWidth), std::round(box.width() * 0.5f));
  unfolded_.at_first = box.height() >= frame.px(kTallFrom) ? 2 : 1;
  {
    ScrollArea scroll(frame, "dashboard", {box.left, box.top, box.right - pane, box.bottom});
    scroll.end_at(draw_panels(frame, scroll.area()));
  }
  if (pane == 0) return;
  const Box pane_box{box.right - pane, box.top, box.right, box.bottom};
  if (frame.model.what_if) {
    want_headroom(frame.model, background);
    if (!what_if_.draw(frame, pane_box, background)) frame.host.run_command("view.what_if");
    return;
  }
  const Details shown{prepare_kernel_details(*frame.model.aggregation, frame.palette()),
                      content_.top_kernels, content_.missed_kernels, content_.eligible_ops};
  if (!draw_details_pane(frame, pane_box, kind, shown)) close_details(frame);
}

// Until the index of limits is built, ops have none.
void DashboardView::want_headroom(const Model& model, Background& background) {
  if (!model.limits) return;
  headroom_.want(model.aggregation, has_few_events(*model.profile), background,
                 [profile = model.profile, aggregation = model.aggregation,
                  limits = model.limits](const base::Progress&) {
                   return std::make_shared<const std::vector<aggregate::OpHeadroom>>(
                       aggregate::op_headroom(*profile, *aggregation, *limits));
                 });
  what_if_.set_headroom(headroom_.get());
}

void DashboardView::show(Frame& frame, DetailsKind kind) {
  shown_ = kind;
  if (frame.model.kernel_details) frame.host.run_command("view.kernel_details");
  if (frame.model.what_if) frame.host.run_command("view.what_if");
}

// The pane that was opened last.
DetailsKind DashboardView::details(const Model& model) {
  if (model.kernel_details || model.what_if) shown_ = DetailsKind::none;
  return model.kernel_details ? DetailsKind::kernels : shown_;
}

void DashboardView::close_details(Frame& frame) {
  shown_ = DetailsKind::none;
  if (frame.model.kernel_details) frame.host.run_command("view.kernel_details");
}

void DashboardView::show_in_timeline(const timeline::TimeWindow& time,
                                     std::optional<profile::DeviceIndex> device) {
  timeline_request_ = {.window = {}, .iteration = {}, .stretch = time, .device = device};
}

// Panels with nothing to show are left out; where that has a reason, the panel is one line.
bool DashboardView::has(const Model& model, Panel panel) const {
  switch (panel) {
    case Panel::whole_run:
      return !is_split(model);
    case Panel::kernel_time:
    case Panel::tensor_cores:
      return content_.no_gpu_activity.empty();
    case Panel::devices:
      return !content_.devices.rows.empty() || !content_.no_gpu_activity.empty();
    default:
      return true;
  }
}

float DashboardView::draw_panels(Frame& frame, const Area& area) {
  const float gap = frame.px(kGap);
  const float top = draw_key_figures(frame, "dashboard", area, headline_) + gap;
  const std::vector<Column>& columns = columns_for(area.width / frame.look.scale);
  float bottom = top;
  float share = 0;
  for (const Column& column : columns) {
    const float left = std::round(area.left + share * (area.width + gap));
    share += column.share;
    const float right = std::round(area.left + share * (area.width + gap) - gap);
    bottom = std::max(bottom, draw_column(frame, {left, top, right - left}, column.panels));
  }
  return bottom;
}

// In a wide column, kernel time and Tensor Core efficiency share a row.
float DashboardView::draw_column(Frame& frame, const Area& area, const std::vector<Panel>& panels) {
  const float gap = frame.px(kGap);
  const float half = std::round((area.width - gap) / 2);
  float y = area.top;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (!has(frame.model, panels[i])) continue;
    PanelRow row(frame, y);
    const bool is_pair = panels[i] == Panel::kernel_time && i + 1 < panels.size() &&
                         panels[i + 1] == Panel::tensor_cores && area.width >= frame.px(kPairFrom);
    if (is_pair) {
      const Area left = row.begin_panel(area.left, half);
      row.end_panel(draw_panel(frame, panels[i], left));
      ++i;
      const Area right = row.begin_panel(area.left + half + gap, area.width - half - gap);
      row.end_panel(draw_panel(frame, panels[i], right));
    } else {
      const Area inner = row.begin_panel(area.left, area.width);
      row.end_panel(draw_panel(frame, panels[i], inner));
    }
    y = row.finish() + gap;
  }
  return y - gap;
}

float DashboardView::draw_panel(Frame& frame, Panel panel, const Area& area) {
  switch (panel) {
    case Panel::findings:
      return draw_advice(frame, area);
    case Panel::whole_run:
      return draw_whole_run(frame, area);
    case Panel::breakdown: {
      const std::string_view link = content_.waterfall.steps.empty() ? "" : "What if ›";
      const Area body =
          draw_heading(frame, area,
                       {is_split(frame.model) ? "Resource usage per iteration" : "Resource usage",
                        "breakdown", content_.waterfall.detail, "", link});
      if (!link.empty() && draw_heading_link(frame, area, "dashboard/breakdown/what_if", link)) {
        frame.host.run_command("view.what_if");
      }
      return draw_waterfall(frame, body, content_.waterfall);
    }
    case Panel::top_ops: {
      const TopOpsResult result = draw_top_ops(frame, area, content_.top_ops);
      if (result.asked_why) show(frame, DetailsKind::ops);
      if (draw_heading_link(frame, area, "dashboard/top_ops/more", "All ops ›")) {
        frame.host.show(ViewId::ops);
      }
      return result.bottom;
    }
    case Panel::kernel_time:
      return draw_kernel_time(frame, area);
    case Panel::tensor_cores:
      return draw_tensor_cores(frame, area);
    case Panel::devices: {
      if (content_.devices.rows.empty()) {
        return draw_reason(frame, area, "GPUs", content_.no_gpu_activity);
      }
      const float bottom = draw_devices(frame, area, content_.devices);
      if (draw_heading_link(frame, area, "dashboard/devices/more", "GPUs ›")) {
        frame.host.show(ViewId::gpus);
      }
      return bottom;
    }
    case Panel::system:
      return draw_system(frame, area);
  }
  return area.top;
}

// GPU utilization over time, and what could split the run.
float DashboardView::draw_whole_run(Frame& frame, const Area& area) {
  if (!content_.no_gpu_activity.empty()) return draw_split(frame, area);
  const Area body =
      draw_heading(frame, area, {"GPU busy over time", "", "kernel, memcpy or memset", ""});
  float y = body.top;
  if (!busy_) {
    y = draw_wrapped(frame.fonts().text, body, frame.palette().dim, "Analyzing…");
  } else if (busy_->empty()) {
    y = draw_wrapped(frame.fonts().text, body, frame.palette().dim, "No GPU activity in this run.");
  } else {
    const BusyChartResult result = draw_busy_chart(frame, body, *busy_);
    if (result.clicked) {
      const BusySlice& slice = (*busy_)[*result.clicked];
      show_in_timeline(timeline::window_between(slice.start_ns, slice.stop_ns), std::nullopt);
    }
    y = result.bottom;
  }
  return draw_split(frame, area.below(y + frame.px(10)));
}

// A button that splits the run at the best marker, with what is to be known of it.
float DashboardView::draw_split(Frame& frame, const Area& area) {
  const Fonts& fonts = frame.fonts();
  const MarkerChoice& choice = marker_.choice(frame.model);
  frame.inspector.record_value("dashboard/split/why", choice.split);
  if (choice.next_key.empty()) {
    return draw_wrapped(fonts.text, area, frame.palette().dim, choice.split);
  }
  const auto measure = [&fonts](std::string_view part) { return text_width(fonts.text, part); };
  const std::string name =
      cut_text(choice.next_name, frame.px(kMostSplitName), CutAt::front, measure);
  const std::string label = fmt::format("Split at {} ({})", name, choice.next_score);
  frame.inspector.record_value("dashboard/split", label);
  const ButtonKind kind = choice.next_warning.empty() ? ButtonKind::accent : ButtonKind::plain;
  if (draw_button(frame, "dashboard/split", area.left, area.top, label, kind)) {
    frame.host.select(split_at(choice.next_key, frame.model.selection));
  }
  const float width = button_width(frame, label);
  const Box button = box_of({area.left, area.top, width}, frame.px(kControlHeight));
  if (hovered(button)) show_tooltip(frame, choice.next_reason);
  const float left = button.right + frame.px(12);
  const float text_top = area.top + (button.height() - line_height(fonts.small)) / 2;
  const std::string note = choice.next_warning.empty()
                               ? choice.split
                               : fmt::format("{} · {}", choice.split, choice.next_warning);
  return std::max(button.bottom, draw_wrapped(fonts.small, {left, text_top, area.right() - left},
                                              frame.palette().dim, note));
}

float DashboardView::draw_kernel_time(Frame& frame, const Area& area) {
  if (content_.kernel_time.empty()) {
    return draw_reason(frame, area, "Kernel GPU time", content_.why_no_kernel_time);
  }
  const Area body = draw_heading(
      frame, area, {"Kernel GPU time", "kernel_gpu_time", "sum, with memory operations", ""});
  if (draw_heading_link(frame, area, "dashboard/kernel_time/details", "Details ›")) {
    frame.host.run_command("view.kernel_details");
  }
  return draw_stacked_bar(frame, "dashboard/kernel_time", body, content_.kernel_time,
                          hidden_kernel_time_, content_.why_no_kernel_time);
}

float DashboardView::draw_tensor_cores(Frame& frame, const Area& area) {
  if (content_.tensor_core_efficiency.empty()) {
    return draw_reason(frame, area, "Tensor Core efficiency", content_.why_no_efficiency);
  }
  const Area body =
      draw_heading(frame, area,
                   {"Tensor Core efficiency", "tensor_core_efficiency",
                    content_.not_counted.empty() ? "kernel time of eligible ops"
                                                 : "known kernel time of eligible ops",
                    ""});
  const BarPart* opened = nullptr;
  const float bottom = draw_stacked_bar(frame, "dashboard/tensor_core_efficiency", body,
                                        content_.tensor_core_efficiency, hidden_tensor_cores_,
                                        content_.why_no_efficiency, &opened);
  if (opened != nullptr) show(frame, DetailsKind::missed_kernels);
  if (content_.not_counted.empty()) return bottom;
  frame.inspector.record_value("dashboard/tensor_core_efficiency/unknown", content_.not_counted);
  return draw_wrapped(frame.fonts().small, area.below(bottom + frame.px(6)), frame.palette().dim,
                      content_.not_counted);
}

float DashboardView::draw_system(Frame& frame, const Area& area) {
  const Area body = draw_heading(frame, area, {"System", "", "", ""});
  if (draw_heading_link(frame, area, "dashboard/system/more", "System ›")) {
    frame.host.show(ViewId::system);
  }
  const float bottom = draw_key_values(frame, "dashboard/system", body, content_.system);
  if (content_.unknown_system.empty()) return bottom;
  return draw_wrapped(frame.fonts().small, body.below(bottom + frame.px(6)), frame.palette().dim,
                      content_.unknown_system);
}

float DashboardView::draw_advice(Frame& frame, const Area& area) {
  const FindingsResult result =
      draw_findings(frame, area, findings_.get(), findings_data_.is_late(), unfolded_);
  if (result.opened != nullptr) open(frame, *result.opened);
  if (result.in_timeline != nullptr) {
    show_in_timeline(result.in_timeline->time, result.in_timeline->device);
  }
  return result.bottom;
}

void DashboardView::open(Frame& frame, const FindingRow& finding) {
  switch (finding.action) {
    case FindingAction::none:
      return;
    case FindingAction::show_ops:
      return frame.host.show_table(ViewId::ops, {"ops", finding.query});
    case FindingAction::show_kernels:
      return frame.host.show_table(ViewId::kernels, {"kernel_names", finding.query});
    case FindingAction::show_devices:
      return frame.host.show(ViewId::gpus);
    case FindingAction::show_system:
      return frame.host.show(ViewId::system);
    case FindingAction::show_ranks:
      return frame.host.show(ViewId::ranks);
    case FindingAction::show_iterations:
      frame.host.show(ViewId::iterations);
      if (finding.range) frame.host.select(frame.model.selection.with_range(*finding.range));
      return;
    case FindingAction::show_place:
      return show_in_timeline(finding.places.front().time, finding.places.front().device);
  }
}

}  // namespace dlview::ui
