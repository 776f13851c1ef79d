#include "ui/views/dashboard/details.h"

#include <algorithm>

#include <fmt/format.h>

#include "aggregate/advice.h"
#include "aggregate/findings.h"
#include "aggregate/kernels_by_name.h"
#include "aggregate/recorded.h"
#include "base/units.h"
#include "ui/data_quality.h"
#include "ui/filters.h"
#include "ui/text.h"
#include "ui/views/dashboard/shares.h"
#include "ui/views/dashboard/top_ops.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/number.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

KernelDetailsRow details_row(std::string id, std::string label, aggregate::MetricId metric,
                             int64_t gpu_ns, int64_t names, Color swatch) {
  return {std::move(id),
          std::move(label),
          base::format_duration(gpu_ns),
          base::format_ns(gpu_ns),
          base::format_count(names),
          metric,
          swatch};
}

TopKernelRow kernel_row(const profile::Profile& profile, const aggregate::NamedKernels& kernels,
                        const aggregate::UnknownTensorCoreUse* unknown) {
  const bool is_unknown = unknown != nullptr && unknown->is_of_name(kernels.name);
  return {std::string(profile.text(kernels.name)), base::format_count(kernels.gpu.count),
          base::format_duration(kernels.gpu.sum), base::format_ns(kernels.gpu.sum),
          kernels.uses_tensor_cores ? Mark::yes
          : is_unknown              ? Mark::unknown
                                    : Mark::no};
}

EligibleOpRow eligible_row(const profile::Profile& profile, const aggregate::OpAggregate& op,
                           std::string why) {
  const std::string_view direction = profile.text(profile.ops.direction[op.op]);
  if (!direction.empty()) why = fmt::format("{} · {}", direction, why);
  return {op.op,
          std::string(profile.text(profile.ops.id[op.op])),
          std::string(profile.text(profile.ops.name[op.op])),
          std::string(profile.text(profile.ops.data_type[op.op])),
          base::format_duration(op.times.gpu.sum),
          base::format_ns(op.times.gpu.sum),
          std::move(why)};
}

// Why the kernel does not use Tensor Cores, as far as its data type shows; may be empty.
std::string_view reason_of(std::string_view data_type) {
  if (data_type == aggregate::kBadDataType) return "full precision · ";
  return aggregate::is_half_precision(data_type) ? "half precision, but on CUDA cores · " : "";
}

std::string largest_kernel(const profile::Profile& profile,
                           const aggregate::Aggregation& aggregation,
                           const aggregate::OpAggregate& op) {
  const OpCard card = prepare_op_card(profile, aggregation, nullptr, op.op);
  if (card.kernels.empty()) return "no kernel in this range";
  return fmt::format("{}{} {}", reason_of(profile.text(profile.ops.data_type[op.op])),
                     card.kernels[0].name, card.kernels[0].launches);
}

constexpr float kTwoLines = 40;

float text_top(const Box& cell, const ImFont* font) {
  return cell.top + (cell.height() - font_size(font)) / 2;
}

float draw_totals(Frame& frame, const Area& area, const std::vector<KernelDetailsRow>& rows) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  FixedTable table(frame, area,
                   {{"", "", kFlexibleWidth},
                    {"GPU time, sum", "kernel_gpu_time", frame.px(84), Align::right},
                    {"Distinct names", "kernel_names", frame.px(88), Align::right}});
  for (const KernelDetailsRow& row : rows) {
    const std::vector<Box> cells = table.next_row();
    const float top = text_top(cells[0], fonts.text);
    float left = cells[0].left;
    if (row.swatch != 0) {
      const float middle = (cells[0].top + cells[0].bottom) / 2;
      fill({left, middle - frame.px(4), left + frame.px(8), middle + frame.px(4)}, row.swatch,
           frame.px(2));
    }
    left += frame.px(15);
    draw_text(fonts.text, left, top, colors.text, row.label);
    draw_text_right(fonts.text, cells[1].right, top, colors.text, row.gpu_time);
    draw_text_right(fonts.text, cells[2].right, top, colors.text, row.names);
    const std::string path = "details/kernels/" + row.id;
    explain_number(frame, path, cells[1], {row.label, row.full_gpu_time, row.metric});
    explain_number(frame, path + "/names", cells[2],
                   {row.label, row.names, "kernel_names", {}, false});
    frame.inspector.record_value(path, row.gpu_time);
    frame.inspector.record_value(path + "/names", row.names);
  }
  return table.bottom();
}

float draw_top_kernels(Frame& frame, const Area& area, const std::vector<TopKernelRow>& rows,
                       const std::string& list) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  FixedTable table(frame, area,
                   {{"Kernel name", "", kFlexibleWidth},
                    {"Launches", "kernel_launches", frame.px(56), Align::right},
                    {"GPU time, sum", "kernel_gpu_time", frame.px(84), Align::right},
                    {"TC", "tensor_core_using", frame.px(18), Align::center}});
  std::vector<std::string_view> names;
  for (const TopKernelRow& row : rows) names.push_back(row.name);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TopKernelRow& row = rows[i];
    const std::string path = list + "/" + std::to_string(i);
    const std::vector<Box> cells = table.next_row();
    const float top = text_top(cells[0], fonts.text);
    if (i == 0) {  // all rows have the same columns
      shown =
          cut_texts(names, cells[0].width(), CutAt::middle,
                    [font = fonts.mono](std::string_view part) { return text_width(font, part); });
    }
    draw_text_in(fonts.mono, cells[0], colors.text, shown[i]);
    if (hovered(cells[0])) show_name_tooltip(frame, row.name);
    word_menu(frame, path + "/name", cells[0], row.name,
              aggregate::Filter{.kind = aggregate::FilterKind::kernel, .text = row.name});
    draw_text_right(fonts.text, cells[1].right, top, colors.text, row.launches);
    draw_text_right(fonts.text, cells[2].right, top, colors.text, row.gpu_time);
    explain_number(frame, path, cells[2],
                   {row.name, row.full_gpu_time, "kernel_gpu_time", {}, false});
    draw_mark(frame, cells[3], row.uses_tensor_cores, true);
    frame.inspector.record_value(path + "/using_tc", to_text(row.uses_tensor_cores));
    frame.inspector.record_value(path + "/name", row.name);
    frame.inspector.record_value(path + "/launches", row.launches);
  }
  return table.bottom();
}

float draw_kernels(Frame& frame, const Area& area, const Details& details) {
  const Fonts& fonts = frame.fonts();
  const std::string lack = lack_text(*frame.model.profile, profile::Evidence::gpu_work);
  if (!lack.empty()) return draw_wrapped(fonts.text, area, frame.palette().dim, lack);
  float y = draw_totals(frame, area, details.totals);
  y = draw_wrapped(fonts.small, area.below(y + frame.px(8)), frame.palette().dim,
                   "GPU time is the sum of durations; overlaps count twice. For memory operations, "
                   "the names are those of API calls.");
  if (details.kernels.empty()) return y;
  return draw_top_kernels(frame, area.below(y + frame.px(16)), details.kernels,
                          "details/top_kernels");
}

void draw_eligible_op(Frame& frame, const std::vector<Box>& cells, const EligibleOpRow& row,
                      const std::string& path) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const auto measure = [](const ImFont* font) {
    return [font](std::string_view part) { return text_width(font, part); };
  };
  const float first = cells[0].top + frame.px(5);
  const float second = first + line_height(fonts.mono);
  draw_text(fonts.mono, cells[0].left, first, colors.text,
            cut_text(row.name, cells[0].width(), CutAt::front, measure(fonts.mono)));
  draw_text(fonts.small, cells[0].left, second, colors.dim,
            cut_text(row.why, cells[0].width(), CutAt::middle, measure(fonts.small)));
  draw_text(fonts.text, cells[1].left, first, colors.attention, row.data_type);
  draw_text_right(fonts.text, cells[2].right, first, colors.text, row.gpu_time);
  explain_number(frame, path + "/gpu_time", cells[2],
                 {"", row.full_gpu_time, "op_gpu_time", row.op});
  const Box name{cells[0].left, cells[0].top, cells[1].right, cells[0].bottom};
  if (hovered(name)) show_op_card(frame, row.op);
  word_menu(frame, path, name, row.name,
            aggregate::Filter{.kind = aggregate::FilterKind::op, .text = row.id});
  frame.inspector.record_value(path + "/name", row.name);
  frame.inspector.record_value(path + "/data_type", row.data_type);
}

float draw_ops(Frame& frame, const Area& area, const std::vector<EligibleOpRow>& rows) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  if (rows.empty()) {
    const Model& model = frame.model;
    const bool known = aggregate::tells_eligibility(*model.profile, *model.aggregation);
    const std::string_view all =
        model.aggregation->selection.filters.empty()
            ? "All eligible ops in this range use Tensor Cores in half precision."
            : "All eligible ops that match the filters use Tensor Cores in half precision.";
    return draw_wrapped(fonts.text, area, colors.dim, known ? all : no_eligibility(*model.profile));
  }
  const float y = draw_wrapped(
      fonts.small, area, colors.dim,
      "These ops are eligible for Tensor Cores but do not use them, or not in half precision. "
      "Each is shown with its longest kernel. Ops of unknown use (?) are left out.");
  FixedTable table(frame, area.below(y + frame.px(8)),
                   {{"Op name", "", kFlexibleWidth},
                    {"Data type", "", frame.px(56)},
                    {"GPU time", "op_gpu_time", frame.px(60), Align::right}},
                   kTwoLines);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    draw_eligible_op(frame, table.next_row(), rows[i], "details/ops/" + std::to_string(i));
  }
  return table.bottom();
}

// The kernels, and below them the ops that could use Tensor Cores and launch some of them.
float draw_missed(Frame& frame, const Area& area, const Details& details) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  frame.inspector.record_value("details/missed_kernels/total", details.missed.total);
  float y = draw_wrapped(fonts.text, area, colors.text, details.missed.total);
  y = draw_wrapped(
      fonts.small, area.below(y + frame.px(4)), colors.dim,
      "These kernels do not use Tensor Cores. Their ops are eligible, or use them in other "
      "kernels. Kernels with unknown use (?) are included.");
  y = draw_top_kernels(frame, area.below(y + frame.px(12)), details.missed.rows,
                       "details/missed_kernels");
  if (!details.missed.more.empty()) {
    frame.inspector.record_value("details/missed_kernels/more", details.missed.more);
    y = draw_wrapped(fonts.small, area.below(y + frame.px(4)), colors.dim, details.missed.more);
  }
  return details.ops.empty() ? y : draw_ops(frame, area.below(y + frame.px(20)), details.ops);
}

}  // namespace

std::vector<KernelDetailsRow> prepare_kernel_details(const aggregate::Aggregation& aggregation,
                                                     const Palette& palette) {
  const auto& kernels = aggregation.all_kernels;
  const auto& memory = aggregation.memory;
  return {
      details_row("all", "All kernels and memory", "kernel_gpu_time",
                  kernels.gpu_ns + memory.gpu_ns, kernels.count + memory.count, 0),
      details_row("tensor_core_kernels", "Using Tensor Cores", "kernel_gpu_time_tensor_core",
                  aggregation.tensor_core_kernels.gpu_ns, aggregation.tensor_core_kernels.count,
                  palette.tone(Tone::tensor_core_kernels)),
      details_row("memory", "Memory", "kernel_gpu_time_memory", memory.gpu_ns, memory.count,
                  palette.tone(Tone::memory)),
      details_row("other_kernels", "All other kernels", "kernel_gpu_time_other",
                  aggregation.other_kernels.gpu_ns, aggregation.other_kernels.count,
                  palette.tone(Tone::other_kernels)),
  };
}

std::vector<TopKernelRow> prepare_top_kernels(const profile::Profile& profile,
                                              const aggregate::Aggregation& aggregation,
                                              const aggregate::UnknownTensorCoreUse* unknown,
                                              std::size_t most) {
  std::vector<TopKernelRow> rows;
  for (const aggregate::NamedKernels& kernels : aggregate::kernels_by_name(aggregation)) {
    if (rows.size() == most) break;
    rows.push_back(kernel_row(profile, kernels, unknown));
  }
  return rows;
}

MissedKernels prepare_missed_kernels(const profile::Profile& profile,
                                     const aggregate::Aggregation& aggregation,
                                     const aggregate::UnknownTensorCoreUse* unknown,
                                     const std::optional<UnknownUseTimes>& unknown_times,
                                     std::size_t most) {
  MissedKernels missed;
  int64_t total_ns = 0, count = 0;
  for (const aggregate::NamedKernels& kernels :
       aggregate::kernels_without_tensor_cores(profile, aggregation)) {
    if (missed.rows.size() < most) missed.rows.push_back(kernel_row(profile, kernels, unknown));
    total_ns += kernels.gpu.sum;
    ++count;
  }
  const int64_t left_out = count - std::ssize(missed.rows);
  if (left_out > 0) missed.more = fmt::format("and {} more", base::format_count(left_out));
  missed.total =
      fmt::format("{} in {}", base::format_duration(total_ns), base::counted(count, "kernels"));
  // By launch: the rules may know other launches of the same name.
  const int64_t unknown_ns = unknown_times ? unknown_times->eligible_gpu_ns : 0;
  if (unknown_ns > 0) {
    missed.total += fmt::format(", {} of it of unknown use", base::format_duration(unknown_ns));
  }
  return missed;
}

std::vector<EligibleOpRow> prepare_eligible_ops(const profile::Profile& profile,
                                                const aggregate::Aggregation& aggregation,
                                                const aggregate::UnknownTensorCoreUse* unknown) {
  std::vector<EligibleOpRow> rows;
  for (const aggregate::OpAggregate* op :
       aggregate::ops_without_tensor_cores(profile, aggregation, unknown)) {
    rows.push_back(eligible_row(profile, *op, largest_kernel(profile, aggregation, *op)));
  }
  for (const aggregate::OpAggregate& op : aggregation.ops) {
    const bool full_precision =
        profile.text(profile.ops.data_type[op.op]) == aggregate::kBadDataType;
    if (!profile.is_eligible(op.op) || !op.uses_tensor_cores() || !full_precision) continue;
    rows.push_back(eligible_row(profile, op, "uses Tensor Cores, but not in half precision"));
  }
  return rows;
}

bool draw_details_pane(Frame& frame, const Box& box, DetailsKind kind, const Details& details) {
  fill(box, frame.palette().panel);
  fill({box.left, box.top, box.left + 1, box.bottom}, frame.palette().line);
  ScrollArea scroll(frame, "details", {box.left + 1, box.top, box.right, box.bottom});
  const Area area = {scroll.area().left + frame.px(4), scroll.area().top + frame.px(2),
                     scroll.area().width - frame.px(8)};
  const std::string_view title = kind == DetailsKind::kernels ? "Kernel details"
                                 : kind == DetailsKind::missed_kernels
                                     ? "Not using Tensor Cores"
                                     : "Eligible for Tensor Cores";
  const Area body = draw_heading(frame, area, {title, "", "", ""});
  const bool is_closed = draw_close_button(frame, "details/close", area);
  scroll.end_at(kind == DetailsKind::kernels          ? draw_kernels(frame, body, details)
                : kind == DetailsKind::missed_kernels ? draw_missed(frame, body, details)
                                                      : draw_ops(frame, body, details.ops));
  return !is_closed;
}

}  // namespace dlview::ui
