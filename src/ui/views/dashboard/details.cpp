#include "ui/views/dashboard/details.h"

#include <algorithm>

#include "aggregate/advice.h"
#include "base/units.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/scroll_area.h"
#include "ui/widgets/table.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

KernelDetailsRow details_row(std::string id, std::string label, int64_t gpu_ns, int64_t names,
                             Colour swatch) {
  return {std::move(id),           std::move(label),          base::format_duration(gpu_ns),
          base::format_ns(gpu_ns), base::format_count(names), swatch};
}

float draw_kernels(Frame& frame, const Area& area, const std::vector<KernelDetailsRow>& rows) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  Table table(frame, area,
              {{"", "", kFlexibleWidth, false},
               {"GPU time, sum", "kernel_gpu_time", frame.px(84), true},
               {"Names", "kernel_names", frame.px(44), true}});
  for (const KernelDetailsRow& row : rows) {
    const std::vector<Box> cells = table.next_row();
    const float top = cells[0].top + (cells[0].height() - fonts.text->FontSize) / 2;
    float left = cells[0].left;
    if (row.swatch != 0) {
      const float middle = std::round((cells[0].top + cells[0].bottom) / 2);
      fill({left, middle - frame.px(4), left + frame.px(8), middle + frame.px(4)}, row.swatch,
           frame.px(2));
    }
    left += frame.px(15);
    draw_text(fonts.text, left, top, colours.text, row.label);
    draw_text_right(fonts.text, cells[1].right, top, colours.text, row.gpu_time);
    draw_text_right(fonts.text, cells[2].right, top, colours.text, row.names);
    if (hovered(cells[1])) show_tooltip(frame, row.full_gpu_time);
    frame.inspector.record_value("details/kernels/" + row.id, row.gpu_time);
    frame.inspector.record_value("details/kernels/" + row.id + "/names", row.names);
  }
  return draw_wrapped(fonts.small, area.below(table.bottom() + frame.px(10)), colours.dim,
                      "GPU time is a plain sum of durations: overlaps count twice. Names are "
                      "distinct kernel names, for memory distinct API names; they are not "
                      "launches.");
}

float draw_data_types(Frame& frame, const Area& area, const std::vector<DataTypeRow>& rows) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  float y = draw_wrapped(fonts.small, area, colours.dim,
                         "These ops can use Tensor Cores, but their data type keeps them from it.");
  Table table(frame, area.below(y + frame.px(8)),
              {{"Op name", "", kFlexibleWidth, false},
               {"Data type", "", frame.px(56), false},
               {"GPU time", "op_gpu_time", frame.px(60), true}});
  for (const DataTypeRow& row : rows) {
    const std::vector<Box> cells = table.next_row();
    const float top = cells[0].top + (cells[0].height() - fonts.text->FontSize) / 2;
    draw_text_cut(frame, fonts.mono, cells[0].left, top, cells[0].width(), colours.text, row.name,
                  CutAt::front);
    draw_text(fonts.text, cells[1].left, top, colours.attention, row.data_type);
    draw_text_right(fonts.text, cells[2].right, top, colours.text, row.gpu_time);
  }
  return table.bottom();
}

}  // namespace

std::vector<KernelDetailsRow> prepare_kernel_details(const aggregate::Aggregation& aggregation,
                                                     const Palette& palette) {
  const auto& kernels = aggregation.all_kernels;
  const auto& memory = aggregation.memory;
  return {
      details_row("all", "All kernels", kernels.gpu_ns + memory.gpu_ns,
                  kernels.count + memory.count, 0),
      details_row("tensor_core_kernels", "Using Tensor Cores",
                  aggregation.tensor_core_kernels.gpu_ns, aggregation.tensor_core_kernels.count,
                  palette.tone(Tone::tensor_core_kernels)),
      details_row("memory", "Memory", memory.gpu_ns, memory.count, palette.tone(Tone::memory)),
      details_row("other_kernels", "All other", aggregation.other_kernels.gpu_ns,
                  aggregation.other_kernels.count, palette.tone(Tone::other_kernels)),
  };
}

std::vector<DataTypeRow> prepare_data_types(const profile::Profile& profile,
                                            const aggregate::Aggregation& aggregation) {
  std::vector<const aggregate::OpAggregate*> ops;
  for (const aggregate::OpAggregate& op : aggregation.ops) {
    if (!profile.is_eligible(op.op)) continue;
    if (profile.text(profile.ops.data_type[op.op]) != aggregate::kBadDataType) continue;
    ops.push_back(&op);
  }
  std::stable_sort(ops.begin(), ops.end(), [](const auto* a, const auto* b) {
    return a->times.gpu.sum > b->times.gpu.sum;
  });
  std::vector<DataTypeRow> rows;
  for (const aggregate::OpAggregate* op : ops) {
    rows.push_back({std::string(profile.text(profile.ops.name[op->op])),
                    std::string(profile.text(profile.ops.data_type[op->op])),
                    base::format_duration(op->times.gpu.sum)});
  }
  return rows;
}

bool draw_details_pane(Frame& frame, const Box& box, DetailsKind kind,
                       const std::vector<KernelDetailsRow>& kernels,
                       const std::vector<DataTypeRow>& data_types) {
  fill(box, frame.palette().panel);
  fill({box.left, box.top, box.left + 1, box.bottom}, frame.palette().line);
  ScrollArea scroll(frame, "details", {box.left + 1, box.top, box.right, box.bottom});
  const Area area = {scroll.area().left + frame.px(4), scroll.area().top + frame.px(2),
                     scroll.area().width - frame.px(8)};
  const bool shows_kernels = kind == DetailsKind::kernels;
  const Area body = draw_heading(
      frame, area,
      {shows_kernels ? "Kernel details" : "Eligible, not in half precision", "", "", ""});
  const float size = frame.px(16);
  const Box close{area.right() - size, area.top, area.right(), area.top + size};
  const Hit hit = hit_area(frame, "details/close", close);
  draw_icon(Icon::close, (close.left + close.right) / 2, (close.top + close.bottom) / 2, size,
            hit.hovered ? frame.palette().text : frame.palette().dim);
  scroll.end_at(shows_kernels ? draw_kernels(frame, body, kernels)
                              : draw_data_types(frame, body, data_types));
  return !hit.clicked;
}

}  // namespace dlview::ui
