#include "ui/views/timeline/metric_rows.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/units.h"
#include "timeline/time_text.h"
#include "ui/views/timeline/rows.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using profile::GpuMetric;
using timeline::MetricColumn;
using timeline::MetricLane;
using timeline::MetricPart;
using timeline::MetricStyle;

constexpr float kAreaShade = 0.62f, kBandShade = 0.26f;  // of the color, in front of the background
constexpr float kGroundShade = 0.6f;
constexpr float kSecondShade = 0.45f;      // of the text's color, in a second part
constexpr float kLine = 1, kLineOver = 2;  // pixels
constexpr double kHzPerGhz = 1e9, kMhzPerGhz = 1e3;

Color color_of(const Palette& palette, const MetricPart& part) {
  const auto lighter = [&palette](Tone tone) {
    return mix(palette.tone(tone), palette.text, kSecondShade);
  };
  switch (part.metric) {
    case GpuMetric::gpu_active:
    case GpuMetric::sm_active:
      return palette.tone(Tone::busy);
    case GpuMetric::sm_issue:
    case GpuMetric::compute_warps:
      return palette.tone(Tone::other_kernels);
    case GpuMetric::tensor_active:
      return palette.tone(Tone::tensor_core_kernels);
    case GpuMetric::other_warps:
      return palette.tone(Tone::cpu);
    case GpuMetric::dram_read:
      return palette.tone(Tone::memory);
    case GpuMetric::dram_write:
      return lighter(Tone::memory);
    case GpuMetric::nvlink_rx:
    case GpuMetric::nvlink_tx:
    case GpuMetric::pcie_rx:
      return palette.tone(Tone::communication);
    case GpuMetric::pcie_tx:
      return lighter(Tone::communication);
    case GpuMetric::gpu_clock:
      return palette.text;
    case GpuMetric::unallocated_warps:
    case GpuMetric::system_clock:
    case GpuMetric::other:
      break;
  }
  return palette.dim;
}

// Where values stand on screen.
struct Axis {
  float top = 0, bottom = 0;
  double most = 100;

  float y_of(double value) const {
    const double share = std::clamp(value / most, 0.0, 1.0);
    return bottom - std::round(static_cast<float>(share) * (bottom - top));
  }
};

void add(std::vector<render::Rectangle>& rectangles, const render::Rectangle& next) {
  if (next.bottom > next.top) add_rectangle(rectangles, next);
}

// A line at the mean of each column; steps are joined.
void add_line(const std::vector<MetricColumn>& columns, const Axis& axis, float left, float width,
              Color color, std::vector<render::Rectangle>& rectangles) {
  std::vector<render::Rectangle> lines;
  float before = -1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].is_known()) {
      before = -1;
      continue;
    }
    const float y = axis.y_of(columns[i].mean), x = left + static_cast<float>(i);
    const float from = before < 0 ? y : std::min(before, y),
                to = before < 0 ? y : std::max(before, y);
    add(lines, {x, std::max(axis.top, from - width), x + 1, std::max(to, axis.top + width), color});
    before = y;
  }
  rectangles.insert(rectangles.end(), lines.begin(), lines.end());
}

void add_area(const Palette& palette, const std::vector<MetricColumn>& columns, const Axis& axis,
              float left, Color color, std::vector<render::Rectangle>& rectangles) {
  const Color area = mix(palette.background, color, kAreaShade);
  const Color band = mix(palette.background, color, kBandShade);
  std::vector<render::Rectangle> bands;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].is_known()) continue;
    const float x = left + static_cast<float>(i);
    const float mean = axis.y_of(columns[i].mean), most = axis.y_of(columns[i].most);
    const float least = axis.y_of(columns[i].least);
    add(rectangles, {x, least, x + 1, axis.bottom, area});
    // The band is lighter than the area that all samples of the column reach.
    add(bands, {x, mean, x + 1, least, mix(area, band, 0.4f)});
    add(bands, {x, most, x + 1, mean, band});
  }
  rectangles.insert(rectangles.end(), bands.begin(), bands.end());
}

void add_stack(const Palette& palette, const MetricLane& lane,
               const timeline::MetricPicture& picture, const Axis& axis, float left,
               std::vector<render::Rectangle>& rectangles) {
  std::vector<double> below(picture.front().size());
  for (std::size_t part = 0; part < picture.size(); ++part) {
    Color color = color_of(palette, lane.parts[part]);
    const bool is_repeated = part > 0 && lane.parts[part].metric == lane.parts[part - 1].metric;
    if (is_repeated) color = mix(color, palette.text, part % 2 == 1 ? kSecondShade : 0.0f);
    color = mix(palette.background, color, kAreaShade + 0.2f);
    for (std::size_t i = 0; i < below.size(); ++i) {
      const MetricColumn& column = picture[part][i];
      if (!column.is_known() || column.mean <= 0) continue;
      const float x = left + static_cast<float>(i);
      const float bottom = axis.y_of(below[i]);
      below[i] += column.mean;
      add(rectangles, {x, axis.y_of(below[i]), x + 1, bottom, color});
    }
  }
}

std::string value_text(double value, std::string_view unit) {
  if (unit == "%") return base::format_percent(value);
  if (unit == "Hz") return fmt::format("{:.2f} GHz", value / kHzPerGhz);
  if (unit == "MHz") return fmt::format("{:.2f} GHz", value / kMhzPerGhz);
  const std::string number = base::format_number(value);
  return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

// "54.3%", or "54.3% (50.0%–58.0%)" where samples differ.
std::string column_text(const MetricColumn& column, std::string_view unit) {
  if (!column.is_known()) return "not sampled";
  const std::string mean = value_text(column.mean, unit);
  if (column.least == column.most) return mean;
  return fmt::format("{} ({}–{})", mean, value_text(column.least, unit),
                     value_text(column.most, unit));
}

}  // namespace

void add_metric_row(const Palette& palette, const MetricLane& lane,
                    const timeline::MetricPicture& picture, const Box& box,
                    std::vector<render::Rectangle>& rectangles) {
  const Axis axis{box.top + 1, box.bottom - 1, lane.top};
  // Where the GPU was sampled, up to the end of the axis, whatever the values.
  const Color ground = mix(palette.background, palette.raised, kGroundShade);
  for (std::size_t i = 0; i < picture.front().size(); ++i) {
    if (!picture.front()[i].is_known()) continue;
    const float x = box.left + static_cast<float>(i);
    add(rectangles, {x, axis.top, x + 1, axis.bottom, ground});
  }
  if (lane.style == MetricStyle::stacked) {
    return add_stack(palette, lane, picture, axis, box.left, rectangles);
  }
  for (std::size_t part = 0; part < picture.size(); ++part) {
    const Color color = color_of(palette, lane.parts[part]);
    const bool is_area = lane.style != MetricStyle::lines && part == 0;
    if (is_area) add_area(palette, picture[part], axis, box.left, color, rectangles);
    add_line(picture[part], axis, box.left, part > 0 ? kLineOver : kLine, color, rectangles);
  }
}

std::string means_text(const MetricLane& lane, const base::Interval& time) {
  std::string text;
  const std::string_view between = lane.style == MetricStyle::stacked ? " + " : " / ";
  constexpr std::size_t kMostParts = 2;  // more have no room
  if (lane.parts.size() > kMostParts) {
    double sum = 0;
    for (const MetricPart& part : lane.parts) {
      const MetricColumn mean = timeline::summarize(part, time);
      if (!mean.is_known()) return "";
      if (part.metric != GpuMetric::unallocated_warps) sum += mean.mean;
    }
    return value_text(sum, lane.parts.front().unit);
  }
  for (const MetricPart& part : lane.parts) {
    const MetricColumn mean = timeline::summarize(part, time);
    if (!mean.is_known()) return "";
    std::string value = value_text(mean.mean, part.unit);
    // The unit stands once, at the end.
    const bool is_last = &part == &lane.parts.back();
    if (!is_last && lane.is_percent()) value.pop_back();
    if (!is_last && value.ends_with(" GHz")) value.resize(value.size() - 4);
    text += value + std::string(is_last ? std::string_view() : between);
  }
  return text;
}

void show_metric_tooltip(Frame& frame, const MetricLane& lane,
                         const timeline::MetricPicture& picture, int32_t column,
                         const base::Interval& time) {
  std::vector<TooltipRow> rows;
  for (std::size_t part = 0; part < lane.parts.size(); ++part) {
    const MetricPart& each = lane.parts[part];
    rows.push_back({each.name,
                    column_text(picture[part][static_cast<std::size_t>(column)], each.unit), "",
                    color_of(frame.palette(), each)});
  }
  // Of several samples the mean and, in brackets, the least and the largest.
  const std::size_t samples = lane.parts.front().curve->in(time).size();
  const std::string note =
      fmt::format("Sampled every {}{}", base::format_duration(lane.period_ns),
                  samples > 1 ? fmt::format("; mean of {} samples, with range",
                                            base::format_count(static_cast<int64_t>(samples)))
                              : "");
  show_rows_tooltip(
      frame, fmt::format("{} at {}", lane.name, timeline::time_text(time.start_ns, 6)), rows, note);
}

}  // namespace dlview::ui
