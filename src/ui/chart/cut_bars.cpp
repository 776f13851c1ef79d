#include "ui/chart/cut_bars.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {
namespace {

struct Group {
  CutBar tallest;
  float left, right;
  bool several;
};

std::string text_of(const BarData& data, const Group& group) {
  const std::string duration = base::format_duration(data.height_ns(group.tallest.iteration));
  if (!group.several) return duration;
  return fmt::format("{}: {}", base::format_count(group.tallest.iteration), duration);
}

void join(const BarData& data, Group& group, const CutBar& bar) {
  group.right = bar.right;
  group.several = true;
  if (data.height_ns(bar.iteration) > data.height_ns(group.tallest.iteration)) group.tallest = bar;
}

bool is_free(const BarData& data, const Plot& plot, float left, float right, float depth) {
  if (left < plot.left || right > plot.right()) return false;
  const auto first = static_cast<int64_t>(std::floor(plot.iteration_at(left)));
  const auto last = static_cast<int64_t>(std::floor(plot.iteration_at(right)));
  if (first >= data.count()) return true;
  const auto height = static_cast<double>(data.height_ns(data.highest(first, last)));
  return plot.y_of(height) > plot.top + depth;
}

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
  hatch(frame, block, frame.palette().background);
  const Hit hit =
      hit_area(frame, name, {block.left, plot.top, block.right, block.bottom}, Reach::mouse);
  if (!hit.hovered) return;
  show_rows_tooltip(frame, text.heading, text.rows, "Outside all iterations (not counted)");
  frame.inspector.record_value(name, text.heading);
}

}  // namespace

std::vector<CutLabel> prepare_cut_labels(const BarData& data, const Plot& plot,
                                         const std::vector<CutBar>& bars, const CutLabelRoom& room,
                                         const MeasureText& measure) {
  std::vector<CutLabel> labels;
  std::optional<Group> group;
  float free_from = plot.left;
  const auto place = [&] {
    if (!group) return;
    const std::string text = text_of(data, *group);
    const float width = measure(text);
    // Behind the group, else before it.
    for (const float left : {group->right + room.gap, group->left - room.gap - width}) {
      if (left < free_from || !is_free(data, plot, left, left + width, room.depth)) continue;
      labels.push_back({text, left, left + width});
      free_from = left + width + room.gap;
      return;
    }
  };
  for (const CutBar& bar : bars) {
    const float needed = group ? measure(text_of(data, *group)) + 2 * room.gap : 0;
    if (group && bar.left < group->right + needed) {
      join(data, *group, bar);
      continue;
    }
    place();
    group = Group{bar, bar.left, bar.right, false};
  }
  place();
  return labels;
}

void draw_cut_bars(const Frame& frame, const Plot& plot, const BarData& data,
                   const std::vector<CutBar>& bars, Color surface) {
  const ImFont* font = frame.fonts().small;
  const float y = plot.top + frame.px(9);
  for (const CutBar& bar : bars) fill({bar.left, y, bar.right, y + frame.px(3)}, surface);
  const float top = plot.top + frame.px(3);
  const CutLabelRoom room{frame.px(6), frame.px(5) + line_height(font)};
  const auto measure = [font](std::string_view text) { return text_width(font, text); };
  for (const CutLabel& label : prepare_cut_labels(data, plot, bars, room, measure)) {
    fill({label.left - frame.px(3), top, label.right + frame.px(3), top + line_height(font)},
         surface, frame.px(3));
    draw_text(font, label.left, top, frame.palette().dim, label.text);
  }
}

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
  text.rows.push_back({"Kernel time (sum)", base::format_duration(part.kernel_ns),
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
