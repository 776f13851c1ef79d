#include "ui/views/tables/gpus.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "aggregate/recorded.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "ui/chart/categories.h"
#include "ui/filters.h"
#include "ui/views/tables/looks.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kAroundBars = 62;  // heading and margins, above and below legend and bars
constexpr float kBarRowHeight = 30;
constexpr float kBarHeight = 14;
constexpr float kLaneHeight = 5;    // of communication, below the bar
constexpr float kMostBars = 12;     // rows of bars; more scroll
constexpr float kLeastTable = 176;  // height of a table with a row

float label_width(const Frame& frame, const std::vector<DeviceBar>& bars) {
  float width = 0;
  for (const DeviceBar& bar : bars) {
    width = std::max(width, text_width(frame.fonts().text, bar.label + "  " + bar.name));
  }
  return std::min(width, frame.px(260));
}

void show_parts(Frame& frame, const DeviceBar& bar) {
  std::vector<TooltipRow> rows;
  for (const BarPart& part : bar.parts) {
    rows.push_back({part.label, part.value, part.share, frame.palette().tone(part.tone)});
  }
  if (bar.overlapped) {
    rows.push_back({bar.overlapped->label, bar.overlapped->value, bar.overlapped->share,
                    communication_colors(frame.palette())[1]});
  }
  show_rows_tooltip(
      frame, bar.name.empty() ? bar.label : bar.label + " · " + bar.name, rows,
      fmt::format("Exclusive: each instant counts once{}\n{}",
                  bar.overlapped ? "\nOverlapped communication is part of the kernels" : "",
                  click_hint(frame.model, bar.filter)));
}

void take_mouse(Frame& frame, const Box& box, const DeviceBar& bar) {
  const std::string path = fmt::format("gpus/bars/{}", bar.filter.number);
  const Hit hit = hit_area(frame, path, box);
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_parts(frame, bar);
  }
  if (hit.clicked) toggle_filter(frame, bar.filter);
  word_menu(frame, path, box, bar.name.empty() ? bar.label : bar.name, bar.filter);
}

// Whether any bar has a lane of overlapped communication below it.
bool has_lanes(const std::vector<DeviceBar>& bars) {
  return std::ranges::any_of(
      bars, [](const DeviceBar& bar) { return bar.overlapped && bar.overlapped->fraction > 0; });
}

struct LegendEntry {
  std::string id, label;
  Color swatch;
};

std::vector<LegendEntry> legend_of(const Palette& colors, const std::vector<DeviceBar>& bars) {
  std::vector<LegendEntry> entries;
  for (const BarPart& part : bars.front().parts) {
    const Color color = colors.tone(part.tone);
    entries.push_back({part.label, part.recorded ? part.label : part.label + " (not recorded)",
                       part.recorded ? color : with_opacity(color, kUnrecorded)});
  }
  if (has_lanes(bars)) {
    const std::string& label = bars.front().overlapped->label;
    entries.push_back({label, label + " (thin lane)", communication_colors(colors)[1]});
  }
  return entries;
}

// Calls draw(x, y, entry) for each, in lines from the left; returns the bottom.
template <typename Draw>
float place_legend(const Frame& frame, const Area& area, const std::vector<LegendEntry>& entries,
                   const Draw& draw) {
  const ImFont* font = frame.fonts().small;
  float x = area.left;
  float y = area.top;
  for (const LegendEntry& entry : entries) {
    const float width = frame.px(14) + text_width(font, entry.label);
    if (x + width > area.right() && x > area.left) {
      x = area.left;
      y += line_height(font) + frame.px(4);
    }
    draw(x, y, entry);
    x += width + frame.px(16);
  }
  return y + line_height(font);
}

float legend_height(const Frame& frame, float width, const std::vector<DeviceBar>& bars) {
  if (bars.empty()) return 0;
  return place_legend(frame, {0, 0, width}, legend_of(frame.palette(), bars),
                      [](float, float, const LegendEntry&) {});
}

float draw_legend(Frame& frame, const Area& area, const std::vector<DeviceBar>& bars) {
  const ImFont* font = frame.fonts().small;
  return place_legend(frame, area, legend_of(frame.palette(), bars),
                      [&](float x, float y, const LegendEntry& entry) {
                        const float middle = std::round(y + line_height(font) / 2);
                        fill({x, middle - frame.px(4), x + frame.px(8), middle + frame.px(4)},
                             entry.swatch, frame.px(2));
                        draw_text(font, x + frame.px(14), y, frame.palette().dim, entry.label);
                        frame.inspector.record_value("gpus/legend/" + entry.id, entry.label);
                      });
}

// On the scale of the bar, from its left edge, where the kernels are.
void draw_lane(const Frame& frame, const Box& bar, const BarPart& overlapped) {
  const float top = bar.bottom + frame.px(2);
  const Box lane{bar.left, top, bar.right, top + frame.px(kLaneHeight)};
  fill(lane, frame.palette().raised, frame.px(2));
  if (overlapped.fraction <= 0) return;
  const float width =
      std::max(1.0f, std::round(static_cast<float>(overlapped.fraction) * lane.width()));
  fill({lane.left, lane.top, lane.left + width, lane.bottom},
       communication_colors(frame.palette())[1], std::min(width / 2, frame.px(2)));
}

double fraction_of(const aggregate::Aggregation& aggregation, int64_t ns) {
  if (aggregation.range_ns == 0) return 0;
  return static_cast<double>(ns) / static_cast<double>(aggregation.range_ns);
}

BarPart part_of(const aggregate::Aggregation& aggregation, const aggregate::DeviceAggregate& device,
                std::string label, Tone tone, int64_t ns, bool is_recorded) {
  BarPart part;
  part.label = std::move(label);
  part.tone = tone;
  part.recorded = is_recorded;
  if (!is_recorded || !device.is_kept) {
    part.value = device.is_kept ? "not recorded" : "filtered out";
    return part;
  }
  part.fraction = fraction_of(aggregation, ns);
  part.value = base::format_duration(ns);
  part.share = base::format_percent(100 * part.fraction);
  return part;
}

}  // namespace

std::vector<DeviceBar> prepare_device_bars(const profile::Profile& profile,
                                           const aggregate::Aggregation& aggregation) {
  const aggregate::RecordedCategories recorded(profile, aggregation);
  const bool has_gpu_work = profile::tells_of(profile, profile::Evidence::gpu_work);
  std::vector<DeviceBar> bars;
  for (const aggregate::DeviceAggregate& device : aggregation.devices) {
    DeviceBar bar;
    bar.label = fmt::format("GPU {}", profile.devices[device.device].device_id);
    bar.name = profile.devices[device.device].name;
    bar.filter = {.kind = aggregate::FilterKind::device,
                  .number = profile.devices[device.device].device_id};
    bar.utilization = !has_gpu_work     ? "not recorded"
                      : !device.is_kept ? "filtered out"
                      : device.kernel_count == 0
                          ? "no kernels"
                          : base::format_percent(aggregation.device_utilization(device));
    const bool has_communication = aggregation.iteration_table->has_communication;
    const auto [exposed, overlapped] = communication_parts(device.communication);
    const aggregate::Breakdown times = without_exposed(device.breakdown, exposed.ns);
    for (const aggregate::Category category : aggregate::kCategories) {
      bar.parts.push_back(part_of(aggregation, device, category_label(category), tone_of(category),
                                  times[category], recorded.contains(category)));
      if (category != aggregate::Category::other_kernels || !has_communication) continue;
      bar.parts.push_back(part_of(aggregation, device, std::string(exposed.label),
                                  Tone::communication, exposed.ns, true));
    }
    if (has_communication) {
      bar.overlapped = part_of(aggregation, device, std::string(overlapped.label),
                               Tone::communication, overlapped.ns, true);
    }
    bars.push_back(std::move(bar));
  }
  return bars;
}

GpusView::GpusView(const profile::Profile& profile)
    : stack_("gpus/tables", {1, 1.2f}), devices_(devices_look()), gaps_(gaps_look(profile)) {}

void GpusView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  if (prepared_for_ != frame.model.aggregation) {
    prepared_for_ = frame.model.aggregation;
    bars_ = prepare_device_bars(*frame.model.profile, *frame.model.aggregation);
  }
  const float gap = frame.px(kGap);
  const auto rows = std::min(kMostBars, static_cast<float>(bars_.size()));
  const float legend = legend_height(frame, box.width() - 2 * (gap + frame.px(kPadding)), bars_);
  const float wanted = frame.px(kAroundBars) + legend + rows * frame.px(kBarRowHeight);
  const Box bars{box.left + gap, box.top + gap, box.right - gap,
                 box.top + gap + std::min(wanted, std::round(box.height() * 0.55f))};
  draw_bars(frame, bars);
  const Box rest{box.left, bars.bottom, box.right, box.bottom};
  if (rest.height() < frame.px(2 * kLeastTable + 3 * kGap)) {
    return devices_.draw(frame, {bars.left, bars.bottom + gap, bars.right, box.bottom - gap},
                         devices_data_.get(frame.model), tables);
  }
  // Few GPUs leave the room to the gaps.
  const auto below = stack_.draw(frame, rest, 0, std::array{devices_.wanted_height(frame)});
  devices_.draw(frame, below[0], devices_data_.get(frame.model), tables);
  gaps_.draw(frame, below[1], gaps_data_.get(frame.model, tables.background), tables);
}

void GpusView::draw_bars(Frame& frame, const Box& box) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  fill(box, colors.panel, frame.px(kRounding));
  outline(box, colors.line, frame.px(kRounding));
  const float padding = frame.px(kPadding);
  const Area area{box.left + padding, box.top + frame.px(12), box.width() - 2 * padding};
  const Area body = draw_heading(frame, area,
                                 {"Resource usage per GPU", "breakdown", "",
                                  "share of the range, exclusive · utilization: union of kernels"});
  if (bars_.empty()) {
    draw_text(fonts.text, body.left, body.top, colors.dim, "No GPUs recorded.");
    return;
  }
  const float rows_top = draw_legend(frame, body, bars_) + frame.px(4);
  ScrollArea scroll(frame, "gpus", {box.left + 1, rows_top, box.right - 1, box.bottom - 4});
  const float left = body.left + label_width(frame, bars_) + frame.px(14);
  float widest = text_width(fonts.strong, "no kernels");
  for (const DeviceBar& bar : bars_) {
    widest = std::max(widest, text_width(fonts.strong, bar.utilization));
  }
  const float right = body.right() - widest - frame.px(14);
  float y = scroll.area().top - frame.px(kGap);
  const float lane = has_lanes(bars_) ? frame.px(kLaneHeight) + frame.px(2) : 0;
  for (const DeviceBar& bar : bars_) {
    const Box row{body.left, y, body.right(), y + frame.px(kBarRowHeight)};
    const float bar_top = std::round((row.top + row.bottom - frame.px(kBarHeight) - lane) / 2);
    const Box bar_box{left, bar_top, right, bar_top + frame.px(kBarHeight)};
    const Box label{row.left, row.top, left, row.bottom};
    draw_text_in(fonts.text, label, colors.text, bar.label);
    const float name_left = label.left + text_width(fonts.text, bar.label + "  ");
    const float top = row.top + (row.height() - font_size(fonts.text)) / 2;
    draw_text_cut(frame, fonts.text, name_left, top, left - name_left - frame.px(10), colors.dim,
                  bar.name, CutAt::middle);
    const std::vector<float> edges = part_edges(bar.parts, bar_box.width());
    for (std::size_t i = 0; i < bar.parts.size(); ++i) {
      fill({bar_box.left + edges[i], bar_box.top, bar_box.left + edges[i + 1], bar_box.bottom},
           colors.tone(bar.parts[i].tone));
    }
    if (lane > 0) draw_lane(frame, bar_box, *bar.overlapped);
    draw_text_right(fonts.strong, row.right, top, colors.text, bar.utilization);
    frame.inspector.record_value("gpus/" + bar.label, bar.utilization);
    take_mouse(frame, {bar_box.left, bar_box.top, bar_box.right, bar_box.bottom + lane}, bar);
    y = row.bottom;
  }
  scroll.end_at(y);
}

}  // namespace dlview::ui
