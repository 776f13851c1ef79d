#include "ui/views/dashboard/devices.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "profile/recorded.h"
#include "ui/chart/categories.h"
#include "ui/filters.h"
#include "ui/text.h"
#include "ui/widgets/number.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr std::size_t kOneColumn = 4;  // most GPUs that are listed in one column
constexpr float kTwoListsWidth = 340;

DeviceRow prepare_row(const profile::Device& device, const aggregate::DeviceAggregate& numbers,
                      double percent, bool has_communication) {
  DeviceRow row;
  row.label = fmt::format("GPU {}", device.device_id);
  row.name = device.name;
  row.share = !numbers.is_kept               ? "filtered out"
              : numbers.kernel_union_ns == 0 ? "no kernel"
                                             : base::format_percent(percent);
  row.fraction = percent / 100;
  row.filter = aggregate::Filter{.kind = aggregate::FilterKind::device, .number = device.device_id};
  row.details = {{"Kernels, union", base::format_duration(numbers.kernel_union_ns), "", 0},
                 {"Kernel launches", base::format_count(numbers.kernel_count), "", 0}};
  if (!has_communication) return row;
  for (const CommunicationPart& part : communication_parts(numbers.communication)) {
    row.details.push_back({std::string(part.label), base::format_duration(part.ns), "", 0});
  }
  return row;
}

DeviceRow mean_row(std::string label, aggregate::MetricId metric, double percent) {
  DeviceRow row;
  row.label = std::move(label);
  row.share = base::format_percent(percent);
  row.fraction = percent / 100;
  row.metric = metric;
  row.full = full_percent(percent);
  return row;
}

int64_t used_count(const aggregate::Aggregation& aggregation) {
  return std::count_if(aggregation.devices.begin(), aggregation.devices.end(),
                       [](const auto& device) { return device.kernel_union_ns > 0; });
}

int64_t kept_count(const aggregate::Aggregation& aggregation) {
  return std::ranges::count(aggregation.devices, true, &aggregate::DeviceAggregate::is_kept);
}

std::string prepare_note(const aggregate::Aggregation& aggregation) {
  const int64_t used = used_count(aggregation), kept = kept_count(aggregation);
  const std::string gpus = base::counted(kept, "GPUs");
  return used == kept ? gpus + " used" : fmt::format("{} of {} used", used, gpus);
}

struct RowWidths {
  float label = 0, share = 0;
};

void take_device_mouse(Frame& frame, const Box& box, const DeviceRow& row) {
  const std::string path = fmt::format("dashboard/devices/{}", row.filter->number);
  const Hit hit = hit_area(frame, path, box);
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const std::string name = row.name.empty() ? row.label : row.label + " · " + row.name;
    show_rows_tooltip(frame, fmt::format("{} · {}", name, row.share), row.details,
                      click_hint(frame.model, *row.filter));
  }
  if (hit.clicked) toggle_filter(frame, *row.filter);
  word_menu(frame, path, box, row.name.empty() ? row.label : row.name, row.filter);
}

void draw_row(Frame& frame, const Area& area, const DeviceRow& row, const RowWidths& widths) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const bool is_mean = !row.metric.empty();
  const float height = line_height(fonts.small);
  const Box whole{area.left, area.top, area.right(), area.top + height};
  const float left = area.left + widths.label + frame.px(10);
  const float right = area.right() - widths.share - frame.px(10);
  draw_text(fonts.small, area.left, area.top, is_mean ? colors.text : colors.dim, row.label);
  const float half = frame.px(is_mean ? 6.0f : 4.0f);
  const float middle = std::round(area.top + height / 2);
  fill({left, middle - half, right, middle + half}, colors.raised, frame.px(2));
  if (row.fraction > 0) {
    const float used = std::max(1.0f, static_cast<float>(row.fraction) * (right - left));
    fill({left, middle - half, left + used, middle + half}, colors.tone(Tone::busy),
         std::min(used / 2, frame.px(2)));
  }
  draw_text_right(is_mean ? fonts.strong : fonts.small, area.right(), area.top,
                  row.fraction > 0 ? colors.text : colors.dim, row.share);
  const std::string path = "dashboard/utilization/" + row.label;
  if (is_mean) {
    explain_number(frame, path, whole, {"", row.full, row.metric});
  } else {
    take_device_mouse(frame, whole, row);
  }
  frame.inspector.record_value(path, row.share);
}

// The same for means and devices, so that their bars can be compared.
RowWidths widths_of(const Frame& frame, const DevicesPanel& panel) {
  RowWidths widths;
  for (const auto* rows : {&panel.means, &panel.rows}) {
    for (const DeviceRow& row : *rows) {
      widths.label = std::max(widths.label, text_width(frame.fonts().small, row.label));
      widths.share = std::max(widths.share, text_width(frame.fonts().strong, row.share));
    }
  }
  return widths;
}

// In `columns` columns, filled from top to bottom.
float draw_rows(Frame& frame, const Area& area, const std::vector<DeviceRow>& rows,
                std::size_t columns, const RowWidths& widths) {
  const float gap = frame.px(24);
  const auto count = static_cast<float>(columns);
  const float width = std::floor((area.width - gap * (count - 1)) / count);
  const float step = line_height(frame.fonts().small) + frame.px(4);
  const std::size_t lines = (rows.size() + columns - 1) / columns;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto column = static_cast<float>(i / lines);
    const auto line = static_cast<float>(i % lines);
    draw_row(frame, {area.left + column * (width + gap), area.top + line * step, width}, rows[i],
             widths);
  }
  return area.top + static_cast<float>(lines) * step;
}

}  // namespace

DevicesPanel prepare_devices(const profile::Profile& profile,
                             const aggregate::Aggregation& aggregation) {
  DevicesPanel panel;
  if (!profile::tells_of(profile, profile::Evidence::gpu_work)) return panel;
  if (aggregation.devices.size() < 2) return panel;
  panel.note = prepare_note(aggregation);
  const int64_t used = used_count(aggregation);
  const int64_t kept = kept_count(aggregation);
  const bool keeps_all = kept == std::ssize(aggregation.devices);
  panel.means.push_back(mean_row(keeps_all
                                     ? fmt::format("All {}", kept)
                                     : fmt::format("{} of {}", kept, aggregation.devices.size()),
                                 "gpu_utilization", aggregation.gpu_utilization()));
  if (used > 0 && used < kept) {  // else it is the same number
    panel.means.push_back(mean_row(fmt::format("{} used", used), "gpu_utilization_used",
                                   aggregation.gpu_utilization_used()));
  }
  for (const aggregate::DeviceAggregate& numbers : aggregation.devices) {
    panel.rows.push_back(prepare_row(profile.devices[numbers.device], numbers,
                                     aggregation.device_utilization(numbers),
                                     aggregation.iteration_table->has_communication));
  }
  return panel;
}

float draw_devices(Frame& frame, const Area& area, const DevicesPanel& panel) {
  const Area body =
      draw_heading(frame, area, {"GPU utilization", "gpu_utilization", panel.note, ""});
  const RowWidths widths = widths_of(frame, panel);
  const float y = draw_rows(frame, body, panel.means, 1, widths) + frame.px(6);
  const bool two_columns = panel.rows.size() > kOneColumn && body.width > frame.px(kTwoListsWidth);
  return draw_rows(frame, body.below(y), panel.rows, two_columns ? 2 : 1, widths);
}

}  // namespace dlview::ui
