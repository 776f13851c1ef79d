#include "ui/views/dashboard/top_ops.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::OpAggregate;

bool more_gpu_time(const OpAggregate* a, const OpAggregate* b) {
  return a->times.gpu.sum != b->times.gpu.sum ? a->times.gpu.sum > b->times.gpu.sum : a->op < b->op;
}

// Dark green uses Tensor Cores, attention could but does not, light green cannot.
Colour bar_colour(const Palette& colours, const TopOpRow& row) {
  if (row.using_tensor_cores) return colours.tone(Tone::tensor_core_kernels);
  return row.eligible ? colours.tone(Tone::cpu) : colours.tone(Tone::other_kernels);
}

void draw_mark(Frame& frame, const Box& cell, bool relevant, bool yes) {
  const Palette& colours = frame.palette();
  const float middle = (cell.top + cell.bottom) / 2;
  const float size = frame.px(14);
  const float x = cell.left + frame.px(10);
  if (!relevant) {
    draw_text_in(frame.fonts().text, {x - frame.px(3), cell.top, cell.right, cell.bottom},
                 colours.faint, "–");
  } else if (yes) {
    draw_icon(Icon::check, x, middle, size, colours.good);
  } else {
    draw_icon(Icon::cross, x, middle, size * 0.85f, colours.tone(Tone::cpu));
  }
}

float widest(const ImFont* font, const TopOpsPanel& panel, std::string_view title,
             const std::function<const std::string&(const TopOpRow&)>& text) {
  float width = text_width(font, title);
  for (const TopOpRow& row : panel.rows) width = std::max(width, text_width(font, text(row)));
  return width;
}

enum Column { kGpuTime, kBar, kName, kDirection, kType, kCalls, kEligible, kUsing };

std::vector<TableColumn> columns_of(Frame& frame, const TopOpsPanel& panel, float width) {
  const ImFont* font = frame.fonts().text;
  const float type =
      std::min(widest(
                   font, panel, "Op type", [](const auto& row) -> auto& { return row.type; }),
               frame.px(150));
  const float direction = widest(
      font, panel, "Direction", [](const auto& row) -> auto& { return row.direction; });
  const bool wide = width > frame.px(620);
  return {
      {"GPU time", "op_gpu_time",
       widest(
           font, panel, "GPU time", [](const auto& row) -> auto& { return row.gpu_time; }),
       true},
      {"", "", wide ? frame.px(width > frame.px(1000) ? 180.0f : 110.0f) : 0, false},
      {"Op name", "", kFlexibleWidth, false},
      {"Direction", "", panel.has_direction ? direction : 0, false},
      {"Op type", "", type, false},
      {"Calls", "op_calls",
       widest(
           font, panel, "Calls", [](const auto& row) -> auto& { return row.calls; }),
       true},
      {"TC eligible", "tensor_core_eligible", text_width(font, "TC eligible"), false},
      {"Using TC", "tensor_core_using", text_width(font, "Using TC"), false},
  };
}

void draw_row(Frame& frame, const std::vector<Box>& cells, const TopOpRow& row) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const auto text_top = [&](const ImFont* font) {
    return cells[kName].top + (cells[kName].height() - font->FontSize) / 2;
  };
  const float top = text_top(fonts.text);
  draw_text_right(fonts.text, cells[kGpuTime].right, top, colours.text, row.gpu_time);
  if (hovered(cells[kGpuTime])) show_tooltip(frame, row.full_gpu_time);
  if (cells[kBar].width() > 0) {
    const float middle = std::round((cells[kBar].top + cells[kBar].bottom) / 2);
    const float half = frame.px(3.5f);
    const float length = std::max(1.0f, static_cast<float>(row.fraction) * cells[kBar].width());
    fill({cells[kBar].left, middle - half, cells[kBar].left + length, middle + half},
         bar_colour(colours, row), std::min(frame.px(2), length / 2));
  }
  draw_text_cut(frame, fonts.mono, cells[kName].left, text_top(fonts.mono), cells[kName].width(),
                colours.text, row.name, CutAt::front);
  if (cells[kDirection].width() > 0) {
    draw_text(fonts.text, cells[kDirection].left, top, colours.text, row.direction);
  }
  draw_text_cut(frame, fonts.text, cells[kType].left, top, cells[kType].width(), colours.text,
                row.type, CutAt::middle);
  draw_text_right(fonts.text, cells[kCalls].right, top, colours.text, row.calls);
  draw_mark(frame, cells[kEligible], row.eligible, true);
  draw_mark(frame, cells[kUsing], row.eligible || row.using_tensor_cores, row.using_tensor_cores);
}

}  // namespace

TopOpsPanel prepare_top_ops(const profile::Profile& profile,
                            const aggregate::Aggregation& aggregation, std::size_t most) {
  std::vector<const OpAggregate*> ops;
  for (const OpAggregate& op : aggregation.ops) {
    if (op.times.gpu.sum > 0) ops.push_back(&op);
  }
  const std::size_t count = std::min(most, ops.size());
  std::partial_sort(ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(count), ops.end(),
                    more_gpu_time);
  TopOpsPanel panel;
  for (std::size_t i = 0; i < count; ++i) {
    const OpAggregate& op = *ops[i];
    const int64_t gpu_ns = op.times.gpu.sum;
    TopOpRow row;
    row.gpu_time = base::format_duration(gpu_ns);
    row.full_gpu_time = base::format_ns(gpu_ns);
    row.fraction = static_cast<double>(gpu_ns) / static_cast<double>(ops[0]->times.gpu.sum);
    row.name = profile.text(profile.ops.name[op.op]);
    row.direction = profile.text(profile.ops.direction[op.op]);
    row.type = profile.text(profile.ops.type[op.op]);
    row.calls = base::format_count(op.times.count());
    row.eligible = profile.is_eligible(op.op);
    row.using_tensor_cores = op.uses_tensor_cores();
    panel.has_direction |= !row.direction.empty();
    panel.rows.push_back(std::move(row));
  }
  return panel;
}

float draw_top_ops(Frame& frame, const Area& area, const TopOpsPanel& panel) {
  const Area body =
      draw_heading(frame, area,
                   {"Top 10 GPU ops", "op_gpu_time", "",
                    panel.rows.empty() ? "" : "union for each instance, kernels and memory"});
  if (panel.rows.empty()) {
    return draw_wrapped(frame.fonts().text, body, frame.palette().dim,
                        "No op of this range used a GPU.");
  }
  Table table(frame, body, columns_of(frame, panel, body.width));
  for (std::size_t i = 0; i < panel.rows.size(); ++i) {
    const TopOpRow& row = panel.rows[i];
    draw_row(frame, table.next_row(), row);
    const std::string path = fmt::format("dashboard/top_ops/{}", i);
    frame.inspector.record_value(path + "/name", row.name);
    frame.inspector.record_value(path + "/gpu_time", row.gpu_time);
  }
  return table.bottom();
}

}  // namespace dlview::ui
