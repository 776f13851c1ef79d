#include "ui/views/tables/memory_chart.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "base/units.h"
#include "timeline/time_text.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::MemoryCurve;

constexpr float kDeviceNames = 168;  // width of what stands left of a chart
constexpr float kLeastChart = 64;    // height of one
constexpr float kBetweenCharts = 8;
constexpr float kAxis = 18;  // height of the labels below all
constexpr float kLabelRoom = 110;
// The curves, in legend and tooltip.
constexpr std::string_view kAllocated = "Allocated memory", kReserved = "Reserved memory";
constexpr int64_t kLeastPart = 100;  // devices with less than 1% of the largest peak have no chart

float height_of(int64_t bytes, const MemoryPlot& plot, float height) {
  if (plot.top <= 0 || bytes <= 0) return 0;
  return std::round(
      static_cast<float>(static_cast<double>(bytes) / static_cast<double>(plot.top) * height));
}

// Columns of one height side by side are one box.
template <typename HeightOf, typename Draw>
void for_each_step(const MemoryPlot& plot, const HeightOf& height_of_column, const Draw& draw) {
  for (std::size_t first = 0; first < plot.columns.size();) {
    const float height = height_of_column(plot.columns[first]);
    std::size_t end = first + 1;
    while (end < plot.columns.size() && height_of_column(plot.columns[end]) == height) ++end;
    draw(first, end, height);
    first = end;
  }
}

void draw_steps(const Frame& frame, const Box& box, const MemoryPlot& plot, bool has_reserved) {
  const Palette& colors = frame.palette();
  const float line = frame.px(1);
  const Color area = colors.tone(Tone::memory);
  for_each_step(
      plot,
      [&](const MemoryCurve::Use& use) { return height_of(use.allocated, plot, box.height()); },
      [&](std::size_t first, std::size_t end, float height) {
        if (height <= 0) return;
        fill({box.left + static_cast<float>(first), box.bottom - height,
              box.left + static_cast<float>(end), box.bottom},
             area);
      });
  if (!has_reserved) return;
  for_each_step(
      plot,
      [&](const MemoryCurve::Use& use) { return height_of(use.reserved, plot, box.height()); },
      [&](std::size_t first, std::size_t end, float height) {
        if (height <= 0) return;
        const float top = box.bottom - height;
        fill({box.left + static_cast<float>(first), top, box.left + static_cast<float>(end),
              top + line},
             colors.text);
      });
}

void draw_axis(const Frame& frame, const Box& box, const timeline::TimeMap& map) {
  const ImFont* font = frame.fonts().small;
  const int most = std::max(1, static_cast<int>(box.width() / frame.px(kLabelRoom)));
  const timeline::TimeTicks ticks = timeline::time_ticks(map.window(), most);
  float free_from = box.left;
  const auto draw = [&](const timeline::TimeTick& tick) {
    const int32_t column = map.column(tick.time_ns);
    if (column < 0 || column >= map.columns()) return;
    const float x = box.left + static_cast<float>(column);
    if (x < free_from || x + text_width(font, tick.label) > box.right) return;
    draw_text(font, x, box.top + frame.px(3), frame.palette().dim, tick.label);
    free_from = x + text_width(font, tick.label) + frame.px(8);
  };
  if (ticks.origin) draw(*ticks.origin);
  for (const timeline::TimeTick& tick : ticks.ticks) draw(tick);
}

bool shows_reserved(const MemoryCurve& curve) {
  return curve.has_reserved() && !curve.device().is_cpu();
}

void draw_names(Frame& frame, const Box& box, const std::string& name, const MemoryCurve& curve,
                const MemoryPlot& plot) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  float y = box.top;
  const auto line = [&](const ImFont* font, Color color, const std::string& text) {
    if (y + line_height(font) > box.bottom + frame.px(2)) return;
    draw_text_cut(frame, font, box.left, y, box.width() - frame.px(12), color, text, CutAt::end);
    y += line_height(font) + frame.px(2);
  };
  const std::string peak = base::format_bytes(plot.peak.use.allocated);
  line(fonts.strong, colors.text, name);
  line(fonts.text, colors.text, "Peak " + peak);
  line(fonts.small, colors.dim, "at " + timeline::time_text(plot.peak.time_ns, 6));
  if (!curve.has_totals()) {
    line(fonts.small, colors.dim, "Totals not recorded");
  } else if (shows_reserved(curve)) {
    line(fonts.small, colors.dim, "Reserved " + base::format_bytes(plot.peak.use.reserved));
  }
  const std::string path = fmt::format("memory/chart/{}", aggregate::to_text(curve.device()));
  frame.inspector.record_value(path, "Peak " + peak);
  frame.inspector.record_value(path + "/name", name);
}

void explain_column(Frame& frame, const Box& box, const MemoryCurve& curve, const MemoryPlot& plot,
                    const timeline::TimeMap& map) {
  const auto column = static_cast<int32_t>(std::floor(ImGui::GetIO().MousePos.x - box.left));
  if (column < 0 || column >= map.columns()) return;
  const Palette& colors = frame.palette();
  const float x = box.left + static_cast<float>(column);
  fill({x, box.top, x + 1, box.bottom}, colors.dim);
  const MemoryCurve::Use& use = plot.columns[static_cast<std::size_t>(column)];
  std::vector<TooltipRow> rows{
      {std::string(kAllocated), base::format_bytes(use.allocated), "", colors.tone(Tone::memory)}};
  if (shows_reserved(curve)) {
    rows.push_back({std::string(kReserved), base::format_bytes(use.reserved), "", colors.text});
  }
  show_rows_tooltip(frame,
                    fmt::format("{} at {}", aggregate::to_text(curve.device()),
                                timeline::time_text(map.begin_ns(column), 6)),
                    rows,
                    curve.has_totals()
                        ? "Maximum within this pixel column."
                        : "Maximum within this pixel column, counted from 0 at the capture start.");
}

// The host's few bytes beside a GPU's are no use; a trace of the host alone shows them. Places of
// curves.
std::vector<std::size_t> curves_with_chart(const std::vector<MemoryCurve>& curves,
                                           const base::Interval& time) {
  int64_t most = 0;
  for (const MemoryCurve& curve : curves) most = std::max(most, curve.most(time).allocated);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (curves[i].most(time).allocated >= most / kLeastPart) shown.push_back(i);
  }
  return shown;
}

// "■ Allocated memory  ─ Reserved memory  │ Peak", from the right; without reserved memory where no
// chart shows it.
void draw_legend(Frame& frame, float right, float top, bool has_reserved) {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  struct Entry {
    std::string_view label;
    Color color;
    float width, height;  // of the swatch
  };
  const Entry entries[] = {{"Peak", colors.attention, 1, 9},
                           {kReserved, colors.text, 9, 1},
                           {kAllocated, colors.tone(Tone::memory), 8, 8}};
  float x = right;
  for (const Entry& entry : entries) {
    if (entry.label == kReserved && !has_reserved) continue;
    x -= text_width(font, entry.label);
    draw_text(font, x, top, colors.dim, entry.label);
    const float middle = std::round(top + line_height(font) / 2);
    const float width = frame.px(entry.width), height = frame.px(entry.height);
    x -= frame.px(6) + width;
    fill({x, middle - height / 2, x + width, middle + height / 2}, entry.color);
    x -= frame.px(14);
  }
  frame.inspector.record_value("memory/chart/legend", has_reserved ? "reserved" : "allocated");
}

}  // namespace

std::string name_of(const profile::Profile& profile, const MemoryCurve& curve,
                    const std::optional<profile::DeviceIndex>& gpu) {
  const std::string name = aggregate::to_text(curve.device());
  return gpu ? fmt::format("{} · GPU {}", name, profile.devices[*gpu].device_id) : name;
}

MemoryPlot prepare_memory_plot(const MemoryCurve& curve, const timeline::TimeMap& map) {
  MemoryPlot plot;
  plot.columns.reserve(static_cast<std::size_t>(map.columns()));
  for (int32_t column = 0; column < map.columns(); ++column) {
    const base::Interval shown = map.shown(column);
    const int64_t last_ns = std::max(shown.start_ns, shown.stop_ns - 1);
    plot.columns.push_back(curve.most({shown.start_ns, last_ns}));
    plot.top = std::max({plot.top, plot.columns.back().allocated, plot.columns.back().reserved});
  }
  plot.peak = curve.peak({map.window().start_ns, map.window().stop_ns() - 1});
  return plot;
}

void MemoryChart::prepare(const profile::Profile& profile,
                          const std::shared_ptr<const MemoryCurves>& curves,
                          const base::Interval& time, int32_t columns) {
  if (curves_ == curves && time_ == time && map_.columns() == columns) return;
  curves_ = curves;
  time_ = time;
  map_ = timeline::TimeMap(timeline::window_between(time.start_ns, time.stop_ns), columns);
  devices_.clear();
  const auto gpus = aggregate::gpus_of(profile, *curves);
  for (const std::size_t i : curves_with_chart(*curves, time)) {
    const MemoryCurve& curve = (*curves)[i];
    devices_.push_back(
        {&curve, name_of(profile, curve, gpus[i]), prepare_memory_plot(curve, map_)});
  }
}

void MemoryChart::draw_device(Frame& frame, const Box& box, const Device& device) const {
  const Palette& colors = frame.palette();
  const MemoryCurve& curve = *device.curve;
  const MemoryPlot& plot = device.plot;
  const Box names{box.left, box.top, box.left + frame.px(kDeviceNames), box.bottom};
  const Box chart{names.right, box.top, names.right + static_cast<float>(map_.columns()),
                  box.bottom};
  draw_names(frame, names, device.name, curve, plot);
  fill(chart, colors.raised);
  draw_steps(frame, chart, plot, shows_reserved(curve));
  // The peak, where it is first reached.
  const int32_t at = map_.column(plot.peak.time_ns);
  if (0 <= at && at < map_.columns() && plot.peak.use.allocated > 0) {
    const float x = chart.left + static_cast<float>(at);
    fill({x, chart.top, x + frame.px(1), chart.bottom}, colors.attention);
  }
  const std::string path = fmt::format("memory/chart/{}/plot", aggregate::to_text(curve.device()));
  frame.inspector.record_item(path, item_rect(chart));
  if (hovered(chart)) explain_column(frame, chart, curve, plot, map_);
}

void MemoryChart::draw(Frame& frame, const Box& box,
                       const std::shared_ptr<const MemoryCurves>& curves,
                       const base::Interval& time) {
  const Palette& colors = frame.palette();
  fill(box, colors.panel, frame.px(kRounding));
  outline(box, colors.line, frame.px(kRounding));
  const float padding = frame.px(kPadding);
  const Area area{box.left + padding, box.top + frame.px(kPanelTop), box.width() - 2 * padding};
  const Area body = draw_heading(frame, area, {"Memory over time", "memory_peak", "", ""});
  if (!curves || curves->empty()) return;
  const float left = body.left + frame.px(kDeviceNames);
  prepare(*frame.model.profile, curves, time,
          static_cast<int32_t>(std::max(1.0f, std::floor(body.right() - left))));
  draw_legend(frame, area.right(), area.top + frame.px(2),
              std::ranges::any_of(
                  devices_, [](const Device& device) { return shows_reserved(*device.curve); }));
  const auto count = static_cast<float>(devices_.size());
  const float axis = frame.px(kAxis), between = frame.px(kBetweenCharts);
  ScrollArea scroll(frame, "memory", {box.left + 1, body.top, box.right - 1, box.bottom - 4});
  const float top = scroll.area().top - frame.px(kGap);
  // With the margin that the scroll area keeps below, all of them fit.
  const float room = box.bottom - 4 - frame.px(kGap) - body.top - axis - between * (count - 1);
  const float height = std::max(frame.px(kLeastChart), std::floor(room / count));
  float y = top;
  for (const Device& device : devices_) {
    draw_device(frame, {body.left, y, body.right(), y + height}, device);
    y += height + between;
  }
  draw_axis(frame, {left, y - between, body.right(), y - between + axis}, map_);
  scroll.end_at(y - between + axis);
}

}  // namespace dlview::ui
