#include "ui/chart/outside_blocks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {
namespace {

constexpr float kWidth = 10;
constexpr float kGap = 5;

std::string share(int64_t part, int64_t whole) {
  if (whole == 0) return "";
  return base::format_percent(100 * static_cast<double>(part) / static_cast<double>(whole));
}

void draw_block(Frame& frame, const Plot& plot, float left, const aggregate::OutsidePart& part,
                const OutsideText& text, const std::string& name) {
  const float top = std::round(plot.y_of(static_cast<double>(part.duration_ns)));
  const Box block{left, std::clamp(top, plot.top, plot.bottom() - 1), left + frame.px(kWidth),
                  plot.bottom()};
  fill(block, frame.palette().outside);
  const Hit hit = hit_area(frame, name, {block.left, plot.top, block.right, block.bottom});
  if (!hit.hovered) return;
  show_rows_tooltip(frame, text.heading, text.rows, "Outside all iterations: no panel counts it");
  frame.inspector.record_value(name, text.heading);
}

}  // namespace

OutsideRoom outside_room(const Frame& frame, const aggregate::IterationTable& table) {
  const float room = frame.px(kWidth + kGap);
  return {table.outside.before.kernels > 0 ? room : 0, table.outside.after.kernels > 0 ? room : 0};
}

OutsideText prepare_outside(const aggregate::OutsidePart& part, const aggregate::Outside& outside,
                            std::string_view where) {
  OutsideText text;
  text.heading = fmt::format("{} · {}", where, base::format_duration(part.duration_ns));
  text.rows.push_back({"Kernel launches", base::format_count(part.kernels),
                       share(part.kernels, outside.kernels), 0});
  text.rows.push_back({"Kernel time, plain sum", base::format_duration(part.kernel_ns),
                       share(part.kernel_ns, outside.kernel_ns), 0});
  return text;
}

void draw_outside(Frame& frame, const Plot& plot, const aggregate::IterationTable& table,
                  std::string_view name) {
  const aggregate::Outside& outside = table.outside;
  const std::string path(name);
  if (outside.before.kernels > 0) {
    draw_block(frame, plot, plot.left - frame.px(kWidth + kGap), outside.before,
               prepare_outside(outside.before, outside, "Before iteration 0"), path + "/before");
  }
  if (outside.after.kernels > 0) {
    draw_block(frame, plot, plot.right() + frame.px(kGap), outside.after,
               prepare_outside(outside.after, outside, "After the last iteration"),
               path + "/after");
  }
}

}  // namespace dlview::ui
