#include "ui/views/dashboard/top_ops.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "aggregate/communication_ops.h"
#include "aggregate/find_op.h"
#include "base/units.h"
#include "profile/communication.h"
#include "profile/recorded.h"
#include "ui/data_quality.h"
#include "ui/filters.h"
#include "ui/table/tables.h"
#include "ui/text.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/number.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::OpAggregate;

constexpr float kKernelNameWidth = 300;

std::vector<const aggregate::KernelAggregate*> kernels_of(const aggregate::Aggregation& aggregation,
                                                          profile::OpIndex op) {
  std::vector<const aggregate::KernelAggregate*> kernels;
  const auto& all = aggregation.kernels;
  auto kernel = std::lower_bound(
      all.begin(), all.end(), op,
      [](const aggregate::KernelAggregate& a, profile::OpIndex b) { return a.op < b; });
  for (; kernel != all.end() && kernel->op == op; ++kernel) kernels.push_back(&*kernel);
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto* a, const auto* b) { return a->gpu.sum > b->gpu.sum; });
  return kernels;
}

// Whether the op runs kernels, none that uses Tensor Cores and some that the rules do not know.
bool is_unknown_use(const OpAggregate& op, const aggregate::UnknownTensorCoreUse* unknown) {
  return !op.uses_tensor_cores() && op.kernel_gpu.count > 0 && unknown != nullptr &&
         unknown->is_of_op(op.op);
}

bool communicates(const profile::Profile& profile, const aggregate::KernelAggregate& kernel) {
  return profile::communication_of(profile.text(kernel.name)).has_value();
}

// Whether most of the kernel time of the op is communication.
bool communicates(const profile::Profile& profile, const aggregate::Aggregation& aggregation,
                  const OpAggregate& op) {
  if (!aggregation.iteration_table->has_communication) return false;
  int64_t ns = 0;
  for (const aggregate::KernelAggregate* kernel : kernels_of(aggregation, op.op)) {
    if (communicates(profile, *kernel)) ns += kernel->gpu.sum;
  }
  return aggregate::communicates(op, ns);
}

Tone tone_of(const profile::Profile& profile, const aggregate::KernelAggregate& kernel,
             const aggregate::UnknownTensorCoreUse* unknown) {
  if (kernel.uses_tensor_cores) return Tone::tensor_core_kernels;
  if (communicates(profile, kernel)) return Tone::communication;
  const bool is_unknown = unknown != nullptr && unknown->is_of_name(kernel.name);
  return is_unknown ? Tone::unknown : Tone::other_kernels;
}

std::string verdict_on(const profile::Profile& profile, const aggregate::OpAggregate& op,
                       const aggregate::UnknownTensorCoreUse* unknown) {
  if (op.uses_tensor_cores()) {
    const int64_t using_them = op.tensor_core_kernels, all = op.kernel_gpu.count;
    if (all == 1) return "Its kernel uses Tensor Cores";
    return using_them == all
               ? fmt::format("All {} use Tensor Cores", base::counted(all, "kernels"))
               : fmt::format("{} of {} use Tensor Cores", base::format_count(using_them),
                             base::counted(all, "kernels"));
  }
  if (!profile::tells_of(profile, profile::Evidence::gpu_work)) {
    return lack_text(profile, profile::Evidence::gpu_work);
  }
  if (is_unknown_use(op, unknown)) {
    return "Tensor Core use unknown: no rule matches some of its kernels";
  }
  if (!profile::tells_eligibility(profile, op.op)) {
    return "Tensor Core eligibility unknown: not an op of a framework";
  }
  if (!profile.is_eligible(op.op)) return "This type of op cannot use Tensor Cores";
  return "Eligible for Tensor Cores, but no kernel uses them";
}

// The longest first.
std::vector<const OpAggregate*> ops_by_time(const aggregate::Aggregation& aggregation,
                                            aggregate::Stats aggregate::TimeStats::*time,
                                            std::size_t most) {
  const auto sum = [time](const OpAggregate* op) { return (op->times.*time).sum; };
  std::vector<const OpAggregate*> ops;
  for (const OpAggregate& op : aggregation.ops) {
    if (sum(&op) > 0) ops.push_back(&op);
  }
  const std::size_t count = std::min(most, ops.size());
  std::partial_sort(ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(count), ops.end(),
                    [&](const OpAggregate* a, const OpAggregate* b) {
                      return sum(a) != sum(b) ? sum(a) > sum(b) : a->op < b->op;
                    });
  ops.resize(count);
  return ops;
}

Tone tone_of(const profile::Profile& profile, const aggregate::Aggregation& aggregation,
             const OpAggregate& op, const aggregate::UnknownTensorCoreUse* unknown) {
  if (op.uses_tensor_cores()) return Tone::tensor_core_kernels;
  if (communicates(profile, aggregation, op)) return Tone::communication;
  if (is_unknown_use(op, unknown)) return Tone::unknown;
  if (op.kernel_gpu.count > 0) return Tone::other_kernels;
  return op.times.gpu.sum > 0 ? Tone::memory : Tone::cpu;
}

Mark eligibility_of(const profile::Profile& profile, profile::OpIndex op) {
  if (profile.is_eligible(op)) return Mark::yes;
  return profile::tells_eligibility(profile, op) ? Mark::no : Mark::unknown;
}

Mark use_of(const profile::Profile& profile, const OpAggregate& op,
            const aggregate::UnknownTensorCoreUse* unknown) {
  if (op.uses_tensor_cores()) return Mark::yes;
  if (is_unknown_use(op, unknown)) return Mark::unknown;
  return profile.is_eligible(op.op) ? Mark::missed : Mark::no;
}

std::string_view time_title(const TopOpsPanel& panel) {
  return panel.by_cpu ? "CPU time" : "GPU time";
}
aggregate::MetricId time_metric(const TopOpsPanel& panel) {
  return panel.by_cpu ? aggregate::MetricId("op_cpu_time") : "op_gpu_time";
}

float widest(const ImFont* font, const TopOpsPanel& panel, std::string_view title,
             const std::function<const std::string&(const TopOpRow&)>& text) {
  float width = text_width(font, title);
  for (const TopOpRow& row : panel.rows) width = std::max(width, text_width(font, text(row)));
  return width;
}

enum Column { kTime, kBar, kName, kDirection, kType, kCalls, kEligible, kUsing, kDataType };

std::vector<TableColumn> columns_of(Frame& frame, const TopOpsPanel& panel, float width) {
  const ImFont* font = frame.fonts().text;
  const float type =
      std::min(widest(
                   font, panel, "Op type", [](const auto& row) -> auto& { return row.type; }),
               std::max(frame.px(150), width / 5));
  const float direction = widest(
      font, panel, "Direction", [](const auto& row) -> auto& { return row.direction; });
  const float data_type = widest(
      font, panel, "Data type", [](const auto& row) -> auto& { return row.data_type; });
  const bool wide = width > frame.px(820);
  const float bar = width > frame.px(1000) ? 160.0f : wide ? 110.0f : 64.0f;
  return {
      {time_title(panel), time_metric(panel),
       widest(
           font, panel, time_title(panel), [](const auto& row) -> auto& { return row.time; }),
       Align::right},
      {"", "", width > frame.px(560) ? frame.px(bar) : 0},
      {"Op name", "", kFlexibleWidth},
      {"Direction", "", panel.has_direction ? direction : 0},
      {"Op type", "", type},
      {"Calls", "op_calls",
       widest(
           font, panel, "Calls", [](const auto& row) -> auto& { return row.calls; }),
       Align::right},
      {"TC eligible", "tensor_core_eligible",
       wide && !panel.by_cpu ? text_width(font, "TC eligible") : 0, Align::center},
      {"Using TC", "tensor_core_using", panel.by_cpu ? 0 : text_width(font, "Using TC"),
       Align::center},
      {"Data type", "", wide && panel.has_data_type ? data_type : 0},
  };
}

void draw_bar(Frame& frame, const Box& cell, const TopOpRow& row) {
  if (cell.width() <= 0) return;
  const float middle = std::round((cell.top + cell.bottom) / 2);
  const float half = frame.px(3.5f);
  const float length = std::max(1.0f, static_cast<float>(row.fraction) * cell.width());
  fill_tone(frame, {cell.left, middle - half, cell.left + length, middle + half}, row.tone,
            std::min(frame.px(2), length / 2));
}

void draw_texts(Frame& frame, const std::vector<Box>& cells, const TopOpRow& row,
                std::string_view shown_name) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const auto cut = [](const ImFont* font, const std::string& text, float width, CutAt where) {
    return cut_text(text, width, where,
                    [font](std::string_view part) { return text_width(font, part); });
  };
  const Box& name = cells[kName];
  const Box& type = cells[kType];
  const float top = name.top + (name.height() - font_size(fonts.text)) / 2;
  draw_text_right(fonts.text, cells[kTime].right, top, colors.text, row.time);
  draw_text_in(fonts.mono, name, colors.text, shown_name);
  if (cells[kDirection].width() > 0) {
    draw_text(fonts.text, cells[kDirection].left, top, colors.text, row.direction);
  }
  draw_text(fonts.text, type.left, top, colors.text,
            cut(fonts.text, row.type, type.width(), CutAt::middle));
  draw_text_right(fonts.text, cells[kCalls].right, top, colors.text, row.calls);
  if (cells[kDataType].width() > 0) {
    draw_text(fonts.text, cells[kDataType].left, top,
              row.uses_tensor_cores == Mark::missed ? colors.attention : colors.dim, row.data_type);
  }
}

// Numbers show their own tooltips; the rest of the row shows that of the op.
void explain_row(Frame& frame, const std::vector<Box>& cells, const TopOpsPanel& panel,
                 const TopOpRow& row, const std::string& path) {
  explain_number(frame, path + "/time", cells[kTime],
                 {"", row.full_time, time_metric(panel), row.op});
  explain_number(frame, path + "/calls", cells[kCalls], {"", row.calls, "op_calls", row.op});
  const Box name{cells[kTime].right, cells[kName].top, cells[kType].right, cells[kName].bottom};
  const Box marks{cells[kCalls].right, name.top,
                  std::max(cells[kUsing].right, cells[kDataType].right), name.bottom};
  if (hovered(name) || hovered(marks)) show_op_card(frame, row.op);
  const Hit hit = hit_area(frame, path + "/open", name);
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hit.clicked) frame.host.show_table(ViewId::ops, {"ops", {}, row.id});
  using enum aggregate::FilterKind;
  word_menu(frame, path, {name.left, name.top, cells[kName].right, name.bottom}, row.name,
            aggregate::Filter{.kind = op, .text = row.id});
  word_menu(frame, path + "/direction", cells[kDirection], row.direction,
            aggregate::Filter{.kind = direction, .text = row.direction});
  word_menu(frame, path + "/type", cells[kType], row.type,
            aggregate::Filter{.kind = op_type, .text = row.type});
  if (CopyMenu menu(frame, path + "/eligible", cells[kEligible]); menu.is_open()) {
    offer_filter(frame, menu, {.kind = eligible, .number = row.eligible == Mark::yes ? 1 : 0});
  }
}

// Rows that the window's edge would cut are not drawn.
bool is_cut_off(const Box& row) {
  const float bottom = ImGui::GetWindowDrawList()->GetClipRectMax().y;
  return row.top < bottom && row.bottom > bottom;
}

// Returns whether the cross was clicked.
bool draw_row(Frame& frame, const std::vector<Box>& cells, const TopOpsPanel& panel,
              const TopOpRow& row, std::string_view shown_name, const std::string& path) {
  draw_bar(frame, cells[kBar], row);
  draw_texts(frame, cells, row, shown_name);
  if (cells[kEligible].width() > 0) draw_mark(frame, cells[kEligible], row.eligible, true);
  if (cells[kUsing].width() > 0) draw_mark(frame, cells[kUsing], row.uses_tensor_cores, true);
  explain_row(frame, cells, panel, row, path);
  frame.inspector.record_value(path + "/name", row.name);
  frame.inspector.record_value(path + "/shown_name", std::string(shown_name));
  frame.inspector.record_value(path + "/time", row.time);
  frame.inspector.record_value(path + "/using_tc", to_text(row.uses_tensor_cores));
  if (row.uses_tensor_cores != Mark::missed) return false;
  const Hit hit = hit_area(frame, path + "/why", cells[kUsing]);
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return hit.clicked;
}

}  // namespace

OpCard prepare_op_card(const profile::Profile& profile, const aggregate::Aggregation& aggregation,
                       const aggregate::UnknownTensorCoreUse* unknown, profile::OpIndex op) {
  OpCard card;
  card.name = profile.text(profile.ops.name[op]);
  const aggregate::OpAggregate* numbers = aggregate::find_op(aggregation, op);
  if (numbers == nullptr) return card;
  for (const profile::StringId part :
       {profile.ops.type[op], profile.ops.direction[op], profile.ops.data_type[op]}) {
    const std::string_view text = profile.text(part);
    if (!text.empty()) card.facts += fmt::format("{} · ", text);
  }
  card.facts += base::counted(numbers->times.count(), "calls");
  card.verdict = verdict_on(profile, *numbers, unknown);
  const auto kernels = kernels_of(aggregation, op);
  for (std::size_t i = 0; i < std::min(kernels.size(), kMostKernels); ++i) {
    const aggregate::KernelAggregate& kernel = *kernels[i];
    card.kernels.push_back(
        {std::string(profile.text(kernel.name)), "× " + base::format_count(kernel.gpu.count),
         base::format_duration(kernel.gpu.sum), tone_of(profile, kernel, unknown)});
  }
  if (kernels.size() > kMostKernels) {
    const auto more = static_cast<int64_t>(kernels.size() - kMostKernels);
    card.more = fmt::format("and {} more", base::format_count(more));
  }
  return card;
}

void show_op_card(Frame& frame, profile::OpIndex op) {
  const Model& model = frame.model;
  const OpCard card =
      prepare_op_card(*model.profile, *model.aggregation, model.unknown_use.get(), op);
  const auto measure = [font = frame.fonts().text](std::string_view part) {
    return text_width(font, part);
  };
  std::vector<TooltipRow> rows;
  for (const OpKernelRow& kernel : card.kernels) {
    rows.push_back({cut_text(kernel.name, frame.px(kKernelNameWidth), CutAt::middle, measure),
                    kernel.launches, kernel.gpu_time, frame.palette().tone(kernel.tone)});
  }
  frame.inspector.record_value("op_card/name", card.name);
  frame.inspector.record_value("op_card/facts", card.facts);
  show_rows_tooltip(frame,
                    {{TooltipStyle::name, card.name},
                     {TooltipStyle::note, card.facts},
                     {TooltipStyle::note, card.verdict}},
                    rows, card.more);
}

TopOpsPanel prepare_top_ops(const profile::Profile& profile,
                            const aggregate::Aggregation& aggregation,
                            const aggregate::UnknownTensorCoreUse* unknown, std::size_t most) {
  TopOpsPanel panel;
  panel.by_cpu = !profile::tells_of(profile, profile::Evidence::gpu_work);
  panel.filtered = !aggregation.selection.filters.empty();
  const auto time = panel.by_cpu ? &aggregate::TimeStats::cpu : &aggregate::TimeStats::gpu;
  const std::vector<const OpAggregate*> ops = ops_by_time(aggregation, time, most);
  for (const OpAggregate* each : ops) {
    const OpAggregate& op = *each;
    const int64_t ns = (op.times.*time).sum;
    TopOpRow row;
    row.op = op.op;
    row.id = profile.text(profile.ops.id[op.op]);
    row.time = base::format_duration(ns);
    row.full_time = base::format_ns(ns);
    row.fraction = static_cast<double>(ns) / static_cast<double>((ops[0]->times.*time).sum);
    row.name = profile.text(profile.ops.name[op.op]);
    row.direction = profile.text(profile.ops.direction[op.op]);
    row.type = profile.text(profile.ops.type[op.op]);
    row.data_type = profile.text(profile.ops.data_type[op.op]);
    row.tone = tone_of(profile, aggregation, op, unknown);
    row.calls = base::format_count(op.times.count());
    row.eligible = eligibility_of(profile, op.op);
    row.uses_tensor_cores = panel.by_cpu ? Mark::unknown : use_of(profile, op, unknown);
    panel.has_direction |= !row.direction.empty();
    panel.has_data_type |= !row.data_type.empty();
    panel.rows.push_back(std::move(row));
  }
  return panel;
}

std::string_view why_no_ops(const TopOpsPanel& panel) {
  if (panel.filtered) {
    return panel.by_cpu ? "No op in this range matches the filters."
                        : "No op in this range that matches the filters used a GPU.";
  }
  return panel.by_cpu ? "No op ran in this range." : "No op in this range used a GPU.";
}

TopOpsResult draw_top_ops(Frame& frame, const Area& area, const TopOpsPanel& panel) {
  const std::string title =
      panel.rows.empty()
          ? fmt::format("Top {} ops", panel.by_cpu ? "CPU" : "GPU")
          : fmt::format("Top {} {} ops", panel.rows.size(), panel.by_cpu ? "CPU" : "GPU");
  const Area body = draw_heading(frame, area,
                                 {title, time_metric(panel),
                                  panel.rows.empty() ? ""
                                  : panel.by_cpu     ? "sum; GPU activity not recorded"
                                                     : "union per call, summed over calls",
                                  ""});
  if (panel.rows.empty()) {
    return {draw_wrapped(frame.fonts().text, body, frame.palette().dim, why_no_ops(panel)), false};
  }
  FixedTable table(frame, body, columns_of(frame, panel, body.width));
  TopOpsResult result;
  std::vector<std::string_view> names;
  for (const TopOpRow& row : panel.rows) names.push_back(row.name);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < panel.rows.size(); ++i) {
    const std::string path = fmt::format("dashboard/top_ops/{}", i);
    const std::vector<Box> cells = table.next_row();
    if (i == 0) {  // all rows have the same columns
      shown = cut_texts(
          names, cells[kName].width(), CutAt::front,
          [font = frame.fonts().mono](std::string_view part) { return text_width(font, part); });
    }
    if (!is_cut_off(cells[kName])) {
      result.asked_why |= draw_row(frame, cells, panel, panel.rows[i], shown[i], path);
    }
  }
  result.bottom = table.bottom();
  return result;
}

}  // namespace dlview::ui
