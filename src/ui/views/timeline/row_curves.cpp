#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/text.h"
#include "ui/views/timeline/rows.h"

namespace dlview::ui {
namespace {

using timeline::Lane;

constexpr float kCounterShade = 0.55f;

// "3", or "0 to 3" where the value changes.
std::string to_text(const timeline::CounterCurve::Bounds& bounds) {
  constexpr double kMostDigits = 1e15;  // larger numbers have an exponent
  const auto text = [](double value) {
    return std::abs(value) < kMostDigits ? base::format_number(value)
                                         : fmt::format("{:.3g}", value);
  };
  const std::string least = text(bounds.least), most = text(bounds.most);
  return least == most ? most : least + " to " + most;
}

}  // namespace

// An area: the most that was allocated in each column. A line: the most that was reserved.
void TimelineRows::add_memory(const TimelineRow& row,
                              std::vector<render::Rectangle>& rectangles) const {
  const timeline::GpuMemory& memory = *lanes_.groups[row.group].memory;
  if (memory.most_bytes <= 0) return;
  const Box box = plot_.row_box(row);
  const float height = box.height() - 2, bottom = box.bottom - 1;
  const Palette& palette = frame_.palette();
  const auto top_of = [&](int64_t bytes) {
    const double share = static_cast<double>(bytes) / static_cast<double>(memory.most_bytes);
    return bottom - std::round(static_cast<float>(share) * height);
  };
  std::vector<render::Rectangle> reserved;
  for (int32_t column = 0; column < plot_.map.columns(); ++column) {
    const base::Interval shown = pictures_.columns().shown(column);
    if (shown.stop_ns <= lanes_.recorded.start_ns || lanes_.recorded.stop_ns <= shown.start_ns) {
      continue;
    }
    const aggregate::MemoryCurve::Use most = memory.curve.most(most_shown(column));
    const float left = box.left + static_cast<float>(column);
    if (most.allocated > 0) {
      add_rectangle(rectangles,
                    {left, top_of(most.allocated), left + 1, bottom, palette.tone(Tone::memory)});
    }
    if (most.reserved > 0) {
      const float top = top_of(most.reserved);
      add_rectangle(reserved, {left, top, left + 1, top + 1, palette.text});
    }
  }
  rectangles.insert(rectangles.end(), reserved.begin(), reserved.end());
}

// Both ends included, as MemoryCurve takes them.
base::Interval TimelineRows::most_shown(int32_t column) const {
  const base::Interval shown = pictures_.columns().shown(column);
  return {shown.start_ns, std::max(shown.start_ns, shown.stop_ns - 1)};
}

// An area: the largest value in each column, above 0 or the least value of the trace.
void TimelineRows::add_counter(const TimelineRow& row,
                               std::vector<render::Rectangle>& rectangles) const {
  const timeline::CounterCurve& curve = *lanes_.groups[row.group].lanes[row.lane].counter;
  const double low = std::min(0.0, curve.all().least), high = std::max(0.0, curve.all().most);
  const Box box = plot_.row_box(row);
  const float height = box.height() - 2, bottom = box.bottom - 1;
  const Palette& palette = frame_.palette();
  const Color area = mix(palette.background, palette.dim, kCounterShade);
  for (int32_t column = 0; column < plot_.map.columns(); ++column) {
    const base::Interval shown = pictures_.columns().shown(column);
    if (shown.stop_ns <= lanes_.recorded.start_ns || lanes_.recorded.stop_ns <= shown.start_ns) {
      continue;
    }
    const auto bounds = curve.bounds(most_shown(column));
    if (!bounds || bounds->most <= low) continue;
    const float left = box.left + static_cast<float>(column);
    // Halves, for their difference cannot be too large. However small, it is seen.
    const double share = (bounds->most / 2 - low / 2) / (high / 2 - low / 2);
    const float top = bottom - std::max(1.0f, std::round(static_cast<float>(share) * height));
    add_rectangle(rectangles, {left, top, left + 1, bottom, area});
  }
}

std::string TimelineRows::counter_bounds(const TimelineRow& row) const {
  const timeline::TimeWindow& window = plot_.map.window();
  const auto bounds = lanes_.groups[row.group].lanes[row.lane].counter->bounds(
      {window.start_ns, window.stop_ns() - 1});
  return bounds ? to_text(*bounds) : "";
}

std::optional<std::string> TimelineRows::counter_text(const TimelineRow& row, float x) const {
  const auto column = static_cast<int32_t>(std::floor(x - plot_.box.left));
  if (column < 0 || column >= plot_.map.columns()) return std::nullopt;
  const Lane& lane = lanes_.groups[row.group].lanes[row.lane];
  const auto bounds = lane.counter->bounds(most_shown(column));
  return lane.name + ": " + (bounds ? to_text(*bounds) : "unknown");
}

// Of the visible part of the run.
void TimelineRows::draw_most_memory(const TimelineRow& row) {
  const timeline::GpuMemory& memory = *lanes_.groups[row.group].memory;
  const timeline::TimeWindow& window = plot_.map.window();
  const int64_t bytes = memory.curve.most({window.start_ns, window.stop_ns() - 1}).allocated;
  const std::string text = base::format_bytes(bytes);
  const ImFont* font = frame_.fonts().small;
  const Box box = plot_.row_box(row);
  draw_text_right(font, box.left - frame_.px(8),
                  std::round(box.top + (box.height() - font_size(font)) / 2), frame_.palette().text,
                  text);
  frame_.inspector.record_value(
      fmt::format("{}/{}/memory", plot_.name, lanes_.groups[row.group].id), text);
}

std::optional<std::string> TimelineRows::memory_text(const TimelineRow& row, float x) const {
  const auto column = static_cast<int32_t>(std::floor(x - plot_.box.left));
  if (column < 0 || column >= plot_.map.columns()) return std::nullopt;
  const aggregate::MemoryCurve& curve = lanes_.groups[row.group].memory->curve;
  const aggregate::MemoryCurve::Use most = curve.most(most_shown(column));
  std::string text = "Allocated " + base::format_bytes(most.allocated);
  if (curve.has_reserved()) text += ", reserved " + base::format_bytes(most.reserved);
  return text;
}

}  // namespace dlview::ui
