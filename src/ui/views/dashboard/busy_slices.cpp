#include "ui/views/dashboard/busy_slices.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "base/units.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

std::string slice_tooltip(const BusySlice& slice, int64_t origin_ns) {
  return fmt::format("{} busy\n{} to {} of the range\nClick to show it in the Timeline",
                     base::format_percent(slice.percent),
                     base::format_duration(slice.start_ns - origin_ns),
                     base::format_duration(slice.stop_ns - origin_ns));
}

constexpr float kChartRows = 88;  // height of 100%

}  // namespace

std::vector<BusySlice> busy_slices(const aggregate::RuleIndex& rules, int64_t start_ns,
                                   int64_t stop_ns, int64_t most) {
  const int64_t length_ns = stop_ns - start_ns;
  const int64_t count = std::min(most, length_ns);
  if (count <= 0 || rules.gpus().empty()) return {};
  const auto begin_of = [&](int64_t slice) {
    return start_ns + length_ns / count * slice + length_ns % count * slice / count;
  };
  std::vector<BusySlice> slices;
  for (int64_t i = 0; i < count; ++i) {
    BusySlice slice{begin_of(i), begin_of(i + 1), 0};
    int64_t busy_ns = 0;
    for (const aggregate::GpuWorkTimes& gpu : rules.gpus()) {
      busy_ns += gpu.busy().covered_ns(slice.start_ns, slice.stop_ns);
    }
    const int64_t all_ns = (slice.stop_ns - slice.start_ns) * std::ssize(rules.gpus());
    slice.percent = 100 * static_cast<double>(busy_ns) / static_cast<double>(all_ns);
    slices.push_back(slice);
  }
  return slices;
}

std::shared_ptr<const std::vector<BusySlice>> BusySlicesData::get(const Model& model,
                                                                  Background& background) {
  if (!model.rules) return nullptr;
  const auto& range = model.aggregation->selection.range;
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  const int64_t start_ns = rows[static_cast<std::size_t>(range.first)].start_ns;
  const int64_t stop_ns = rows[static_cast<std::size_t>(range.last)].stop_ns;
  slices_.want(
      {model.rules, start_ns, stop_ns}, has_few_events(*model.profile), background,
      [profile = model.profile, rules = model.rules, start_ns, stop_ns](const base::Progress&) {
        return std::make_shared<const std::vector<BusySlice>>(
            busy_slices(*rules, start_ns, stop_ns));
      });
  return slices_.get();
}

BusyChartResult draw_busy_chart(Frame& frame, const Area& area,
                                const std::vector<BusySlice>& slices) {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const float axis = text_width(font, "100%") + frame.px(8);
  const float text = line_height(font);
  const float top = std::round(area.top + text / 2);
  const Box plot{std::round(area.left + axis), top, area.right(), top + frame.px(kChartRows)};
  const Color grid = mix(colors.panel, colors.line, 0.7f);
  for (const int percent : {0, 50, 100}) {
    const float y = std::round(plot.bottom - plot.height() * static_cast<float>(percent) / 100);
    horizontal_line(plot.left, plot.right, y, grid);
    draw_text_right(font, plot.left - frame.px(8), y - text / 2, colors.dim,
                    fmt::format("{}%", percent));
  }
  BusyChartResult result;
  const auto count = static_cast<float>(slices.size());
  const Hit hit = hit_area(frame, "dashboard/busy", plot);
  const auto under_mouse = static_cast<std::size_t>(
      std::clamp((ImGui::GetIO().MousePos.x - plot.left) / plot.width() * count, 0.0f, count - 1));
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const float left = std::round(plot.left + plot.width() * static_cast<float>(i) / count);
    const float right = std::round(plot.left + plot.width() * static_cast<float>(i + 1) / count);
    const float height = slices[i].percent > 0
                             ? std::max(1.0f, std::round(static_cast<float>(slices[i].percent) /
                                                         100 * plot.height()))
                             : 0;
    const float gap = right - left > frame.px(4) ? 1.0f : 0.0f;
    const bool lit = hit.hovered && i == under_mouse;
    fill({left, plot.bottom - height, right - gap, plot.bottom},
         mix(colors.panel, colors.text, lit ? 0.8f : 0.5f));
    frame.inspector.record_value(fmt::format("dashboard/busy/{}", i),
                                 base::format_percent(slices[i].percent));
  }
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_tooltip(frame, slice_tooltip(slices[under_mouse], slices.front().start_ns));
  }
  if (hit.clicked) result.clicked = under_mouse;
  const float below = plot.bottom + frame.px(3);
  draw_text(font, plot.left, below, colors.dim, "0");
  draw_text_right(font, plot.right, below, colors.dim,
                  base::format_duration(slices.back().stop_ns - slices.front().start_ns));
  result.bottom = below + text;
  return result;
}

}  // namespace dlview::ui
