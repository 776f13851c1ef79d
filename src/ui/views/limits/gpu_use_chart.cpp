#include "ui/views/limits/gpu_use_chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using report::ReportBar;
using report::ReportShare;

constexpr float kTitleHeight = 16, kChartGap = 10, kLeastChart = 18;

Color color_of(const Palette& colors, std::size_t chart) {
  const Color of_charts[report::kReportCharts] = {colors.good, colors.accent, colors.attention};
  return of_charts[chart];
}

void draw_bar(const Frame& frame, const Box& chart, const UseBar& bar, const ReportShare& share,
              Color color) {
  if (!share.percent) {
    // A line for what has none, a gap for what is unknown.
    if (share.has_no_form) fill({bar.left, chart.bottom - 1, bar.right, chart.bottom}, color);
    return;
  }
  const float height =
      chart.height() * static_cast<float>(std::clamp(*share.percent, 0.0, 100.0) / 100);
  const Box box{bar.left, std::round(chart.bottom - height), bar.right, chart.bottom};
  if (share.origin != aggregate::Origin::estimated) return fill(box, color);
  fill(box, with_opacity(color, 0.35f));
  hatch(frame, box, color);
}

void explain(Frame& frame, const ReportBar& bar) {
  std::vector<TooltipText> lines{{TooltipStyle::name, bar.name},
                                 {TooltipStyle::text, base::format_duration(bar.time_ns)}};
  for (std::size_t i = 0; i < report::kReportCharts; ++i) {
    lines.push_back({TooltipStyle::text, fmt::format("{}: {}", report::kReportChartTitles[i],
                                                     report::share_text(bar.shares[i], i))});
  }
  show_text_tooltip(frame, lines);
}

}  // namespace

std::vector<UseBar> place_bars(std::span<const ReportBar> bars, const Box& chart) {
  double total = 0;
  for (const ReportBar& bar : bars) total += static_cast<double>(bar.time_ns);
  std::vector<UseBar> placed;
  if (total <= 0) return placed;
  double before = 0;
  const auto x_at = [&](double time) {
    return std::round(chart.left + chart.width() * static_cast<float>(time / total));
  };
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const float left = x_at(before);
    before += static_cast<double>(bars[i].time_ns);
    placed.push_back({i, left, std::max(x_at(before), left + 1)});
  }
  return placed;
}

std::optional<std::size_t> GpuUseChart::draw(Frame& frame, const Box& box,
                                             const Content& content) const {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const float title = frame.px(kTitleHeight), gap = frame.px(kChartGap);
  const auto count = static_cast<float>(report::kReportCharts);
  const float height = std::floor((box.height() - (count - 1) * gap) / count - title);
  if (height < frame.px(kLeastChart) || content.bars.empty()) return std::nullopt;
  std::optional<std::size_t> hovered_bar, clicked;
  float top = box.top;
  for (std::size_t i = 0; i < report::kReportCharts; ++i) {
    const Box chart{box.left, top + title, box.right, top + title + height};
    std::string text(report::kReportChartTitles[i]);
    if (content.chosen) {
      const std::string share = report::share_text(content.bars[*content.chosen].shares[i], i);
      text += " · selected: " + share;
      frame.inspector.record_value(fmt::format("limits/use/{}", i), share);
    }
    draw_text(font, chart.left, top, colors.dim, text);
    draw_text_right(font, chart.right, top, colors.faint, "100%");
    outline(chart, colors.line);
    const std::vector<UseBar> placed = place_bars(content.bars, chart);
    for (const UseBar& bar : placed) {
      draw_bar(frame, chart, bar, content.bars[bar.bar].shares[i], color_of(colors, i));
    }
    if (content.chosen) {
      const UseBar& bar = placed[*content.chosen];
      outline({bar.left - 1, chart.top, bar.right + 1, chart.bottom}, colors.text);
    }
    const Hit hit = hit_area(frame, fmt::format("limits/use/chart_{}", i), chart, Reach::mouse);
    if (hit.hovered) {
      const float x = ImGui::GetIO().MousePos.x;
      // The first one that ends behind the mouse.
      const auto found = std::ranges::upper_bound(placed, x, {}, &UseBar::right);
      if (found != placed.end()) hovered_bar = found->bar;
      if (hit.clicked) clicked = hovered_bar;
    }
    top = chart.bottom + gap;
  }
  if (hovered_bar) explain(frame, content.bars[*hovered_bar]);
  return clicked;
}

}  // namespace dlview::ui
