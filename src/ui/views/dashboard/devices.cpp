#include "ui/views/dashboard/devices.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/views/dashboard/shares.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

DeviceRow prepare_row(const profile::Device& device, const aggregate::DeviceAggregate& numbers,
                      double percent) {
  DeviceRow row;
  row.label = fmt::format("GPU {}", device.device_id);
  row.name = device.name;
  row.share = numbers.kernel_union_ns == 0 ? "no kernel" : base::format_percent(percent);
  row.fraction = percent / 100;
  row.details = {{"Kernels, union", base::format_duration(numbers.kernel_union_ns), "", 0},
                 {"Kernel launches", base::format_count(numbers.kernel_count), "", 0}};
  return row;
}

std::string prepare_note(const aggregate::Aggregation& aggregation) {
  const std::size_t all = aggregation.devices.size();
  const auto used =
      static_cast<std::size_t>(std::count_if(aggregation.devices.begin(), aggregation.devices.end(),
                                             [](const auto& d) { return d.kernel_union_ns > 0; }));
  if (all == 0) return "";
  if (all == 1) return "union of kernels";
  if (used == all) return fmt::format("mean over all {} GPUs", all);
  return fmt::format("all {}: {} · {} used: {}", all,
                     base::format_percent(aggregation.gpu_utilization()), used,
                     base::format_percent(aggregation.gpu_utilization_used()));
}

void draw_row(Frame& frame, const Area& area, const DeviceRow& row, float label_width,
              float share_width) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const float height = line_height(fonts.small);
  const float left = area.left + label_width + frame.px(10);
  const float right = area.right() - share_width - frame.px(10);
  draw_text(fonts.small, area.left, area.top, colours.dim, row.label);
  const float half = frame.px(4);
  const float middle = std::round(area.top + height / 2);
  fill({left, middle - half, right, middle + half}, colours.raised, frame.px(2));
  const float used =
      row.fraction > 0 ? std::max(1.0f, static_cast<float>(row.fraction) * (right - left)) : 0.0f;
  if (used > 0) {
    fill({left, middle - half, left + used, middle + half}, colours.tone(Tone::tensor_core_kernels),
         std::min(used / 2, frame.px(2)));
  }
  draw_text_right(fonts.small, area.right(), area.top,
                  row.fraction > 0 ? colours.text : colours.dim, row.share);
  if (hovered({area.left, area.top, area.right(), area.top + height})) {
    show_rows_tooltip(frame, fmt::format("{} · {} · {}", row.label, row.name, row.share),
                      row.details);
  }
  frame.inspector.record_value("dashboard/utilization/" + row.label, row.share);
}

}  // namespace

DevicesPanel prepare_devices(const profile::Profile& profile,
                             const aggregate::Aggregation& aggregation) {
  DevicesPanel panel;
  panel.note = prepare_note(aggregation);
  panel.parts = prepare_utilization(aggregation);
  if (aggregation.devices.size() < 2) return panel;
  for (const aggregate::DeviceAggregate& numbers : aggregation.devices) {
    panel.rows.push_back(prepare_row(profile.devices[numbers.device], numbers,
                                     aggregation.device_utilization(numbers)));
  }
  return panel;
}

float draw_devices(Frame& frame, const Area& area, const DevicesPanel& panel, HiddenParts& hidden) {
  const Area body = draw_heading(
      frame, area,
      {"GPU utilization", panel.parts.empty() ? "" : "gpu_utilization", "", panel.note});
  float y = draw_stacked_bar(frame, "dashboard/utilization", body, panel.parts, hidden, kNoDevices);
  const ImFont* font = frame.fonts().small;
  float label_width = 0;
  float share_width = 0;
  for (const DeviceRow& row : panel.rows) {
    label_width = std::max(label_width, text_width(font, row.label));
    share_width = std::max(share_width, text_width(font, row.share));
  }
  if (!panel.rows.empty()) y += frame.px(8);
  for (const DeviceRow& row : panel.rows) {
    draw_row(frame, body.below(y), row, label_width, share_width);
    y += line_height(font) + frame.px(2);
  }
  return y;
}

}  // namespace dlview::ui
