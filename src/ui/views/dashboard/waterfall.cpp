#include "ui/views/dashboard/waterfall.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "aggregate/recorded.h"
#include "base/units.h"
#include "ui/chart/categories.h"
#include "ui/filters.h"
#include "ui/views/dashboard/shares.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/number.h"

namespace dlview::ui {
namespace {

using aggregate::Aggregation;
using aggregate::Category;

aggregate::MetricId metric_of(Category category) {
  switch (category) {
    case Category::tensor_core_kernels:
      return "breakdown_tensor_core_kernels";
    case Category::other_kernels:
      return "breakdown_other_kernels";
    case Category::memory:
      return "breakdown_memory";
    case Category::data_loader:
      return "breakdown_data_loader";
    case Category::io:
      return "breakdown_io";
    case Category::cpu:
      return "breakdown_cpu";
    case Category::other:
      break;
  }
  return "breakdown_other";
}

constexpr double kLeastNamed = 1;  // percent of the kernel time

std::string detail_text(int64_t iterations, int64_t gpus) {
  if (iterations > 1 && gpus > 1) {
    return fmt::format("mean of {} iterations and {} GPUs", base::format_count(iterations), gpus);
  }
  if (iterations > 1) return fmt::format("mean of {} iterations", base::format_count(iterations));
  return gpus > 1 ? fmt::format("mean of {} GPUs", gpus) : "";
}

class WaterfallBuilder {
 public:
  WaterfallBuilder(const profile::Profile& profile, const Aggregation& aggregation)
      : aggregation_(aggregation),
        recorded_(profile, aggregation),
        gpus_(std::max<int64_t>(1, aggregation.iteration_table->device_count)),
        iterations_(std::max<int64_t>(1, aggregation.selection.range.size())) {}

  Waterfall build() {
    result_.mean_ns = aggregation_.range_ns / iterations_;
    result_.mean = base::format_duration(result_.mean_ns);
    result_.full_mean = base::format_ns(result_.mean_ns);
    result_.detail = detail_text(iterations_, gpus_);
    add_kernels();
    for (const Category category :
         {Category::memory, Category::data_loader, Category::io, Category::cpu}) {
      add(category, aggregation_.breakdown[category]);
    }
    add(Category::other, aggregation_.breakdown[Category::other]);
    // What rounding down left.
    result_.steps.back().duration_ns = result_.mean_ns - result_.steps.back().start_ns;
    describe_communication();
    return std::move(result_);
  }

 private:
  int64_t mean_ns(int64_t device_sum_ns) const { return device_sum_ns / (gpus_ * iterations_); }

  void add_kernels() {
    const int64_t exposed = aggregation_.communication.exposed_ns;
    const aggregate::Breakdown parts = without_exposed(aggregation_.breakdown, exposed);
    add(Category::tensor_core_kernels, parts[Category::tensor_core_kernels]);
    add(Category::other_kernels, parts[Category::other_kernels]);
    if (!aggregation_.iteration_table->has_communication) return;
    add_step("communication_exposed", "Exposed communication", "communication_exposed",
             Tone::communication, exposed);
  }

  void add(Category category, int64_t device_sum_ns) {
    WaterfallStep& step = add_step(category_id(category), category_label(category),
                                   metric_of(category), ui::tone_of(category), device_sum_ns);
    if (category == Category::tensor_core_kernels || category == Category::other_kernels) {
      step.filter = aggregate::Filter{.kind = aggregate::FilterKind::tensor_core,
                                      .number = category == Category::tensor_core_kernels ? 1 : 0};
    }
    if (recorded_.contains(category)) return;
    step.is_recorded = false;
    step.duration_ns = 0;
    step.share.clear();
    step.value = step.full = "not recorded";
    step.filter.reset();
    if (category != Category::data_loader) return;
    step.hint =
        "No op or range is named as a data loader. Time spent waiting for data counts as CPU "
        "or Other. Findings may still detect it from idle gaps and call stacks.";
    result_.data_loading = "Data loading outside a DataLoader range counts as CPU or Other.";
  }

  WaterfallStep& add_step(std::string id, std::string label, aggregate::MetricId metric, Tone tone,
                          int64_t device_sum_ns) {
    int64_t start_ns = 0;
    if (!result_.steps.empty()) {
      start_ns = result_.steps.back().start_ns + result_.steps.back().duration_ns;
    }
    WaterfallStep& step = result_.steps.emplace_back();
    step.id = std::move(id);
    step.label = std::move(label);
    step.metric = metric;
    step.tone = tone;
    step.start_ns = start_ns;
    step.duration_ns = mean_ns(device_sum_ns);
    step.value = base::format_duration(step.duration_ns);
    step.share = base::format_percent(aggregation_.share(device_sum_ns));
    step.full = full_text(device_sum_ns);
    return step;
  }

  // The range comes first: the SQL of the number gives it.
  std::string full_text(int64_t device_sum_ns) const {
    const std::string range = base::format_ns(device_sum_ns / gpus_);
    const std::string percent = full_percent(aggregation_.share(device_sum_ns));
    if (iterations_ == 1) return fmt::format("{} · {}", range, percent);
    return fmt::format("{} in the range · {} · {} per iteration", range, percent,
                       base::format_ns(mean_ns(device_sum_ns)));
  }

  void describe_communication() {
    if (!aggregation_.iteration_table->has_communication) return;
    const aggregate::CommunicationTime& time = aggregation_.communication;
    const auto duration = [this](int64_t ns) { return base::format_duration(mean_ns(ns)); };
    result_.communication =
        fmt::format("Communication {} ({}): {} exposed, {} overlapped by other kernels",
                    duration(time.ns), base::format_percent(aggregation_.share(time.ns)),
                    duration(time.exposed_ns), duration(time.overlapped_ns()));
    result_.full_communication = full_text(time.ns);
  }

  const Aggregation& aggregation_;
  const aggregate::RecordedCategories recorded_;
  const int64_t gpus_, iterations_;
  Waterfall result_;
};

constexpr float kStepHeight = 23;
constexpr float kSwatchWidth = 15;  // with the gap after it
constexpr float kColumnsGap = 12;

// Edges of the columns; label and bar share what value and share leave.
struct WaterfallColumns {
  float label = 0, bar_left = 0, bar_right = 0, value_right = 0, share_right = 0;
};

WaterfallColumns columns_for(const Frame& frame, const Area& area, const Waterfall& waterfall) {
  const Fonts& fonts = frame.fonts();
  float label = text_width(fonts.text, "Average iteration");
  float value = text_width(fonts.strong, waterfall.mean);
  float share = text_width(fonts.strong, base::format_percent(99.9));
  for (const WaterfallStep& step : waterfall.steps) {
    label = std::max(label, text_width(fonts.text, step.label));
    if (!step.is_recorded) continue;
    value = std::max(value, text_width(fonts.text, step.value));
    share = std::max(share, text_width(fonts.strong, step.share));
  }
  const float gap = frame.px(kColumnsGap);
  WaterfallColumns columns;
  columns.label = area.left + frame.px(kSwatchWidth);
  columns.bar_left = std::round(columns.label + label + gap);
  columns.share_right = area.right();
  columns.value_right = std::round(columns.share_right - share - gap);
  const float unrecorded = area.right() - text_width(fonts.text, "not recorded");
  columns.bar_right = std::round(std::min(columns.value_right - value, unrecorded) - gap);
  return columns;
}

float x_of(const WaterfallColumns& columns, int64_t ns, int64_t mean_ns) {
  const double share = mean_ns > 0 ? static_cast<double>(ns) / static_cast<double>(mean_ns) : 0;
  return std::round(columns.bar_left +
                    static_cast<float>(share) * (columns.bar_right - columns.bar_left));
}

void draw_step_bar(Frame& frame, const WaterfallColumns& columns, const Box& row,
                   const WaterfallStep& step, int64_t mean_ns) {
  if (columns.bar_right - columns.bar_left < frame.px(40)) return;
  const float half = frame.px(6);
  const float middle = std::round((row.top + row.bottom) / 2);
  const float left = x_of(columns, step.start_ns, mean_ns);
  const float right = x_of(columns, step.start_ns + step.duration_ns, mean_ns);
  const Color thread = mix(frame.palette().panel, frame.palette().line, 0.8f);
  if (step.duration_ns > 0) {
    const Box bar{std::min(left, columns.bar_right - 1), middle - half, std::max(right, left + 1),
                  middle + half};
    fill(bar, frame.palette().tone(step.tone), std::min(frame.px(2), bar.width() / 2));
  }
  // Leads the eye to where the next step begins.
  const float x = std::min(right, columns.bar_right - 1);
  fill({x, step.duration_ns > 0 ? middle + half : row.top, x + 1, row.bottom}, thread);
  fill({x, row.bottom, x + 1, row.bottom + middle - half - row.top}, thread);
}

void draw_step(Frame& frame, const WaterfallColumns& columns, const Box& row,
               const WaterfallStep& step, int64_t mean_ns) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string path = "dashboard/breakdown/" + step.id;
  Hit hit;
  if (step.filter) {
    hit = hit_area(frame, path, row);
    if (hit.hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      fill(row, with_opacity(colors.text, 0.035f), frame.px(3));
    }
    if (hit.clicked) toggle_filter(frame, *step.filter);
  } else {
    frame.inspector.record_item(path, item_rect(row));
  }
  explain_number(frame, path, row,
                 {step.label,
                  step.full,
                  step.metric,
                  {},
                  true,
                  step.filter,
                  step.filter ? click_hint(frame.model, *step.filter) : step.hint});
  const float top = row.top + (row.height() - font_size(fonts.text)) / 2;
  const float half = frame.px(4);
  const float middle = std::round((row.top + row.bottom) / 2);
  const Color tone = colors.tone(step.tone);
  fill({row.left, middle - half, row.left + 2 * half, middle + half},
       step.is_recorded ? tone : with_opacity(tone, kUnrecorded), frame.px(2));
  draw_text(fonts.text, columns.label, top, step.is_recorded ? colors.text : colors.dim,
            step.label);
  draw_step_bar(frame, columns, row, step, mean_ns);
  if (step.is_recorded) {
    draw_text_right(fonts.text, columns.value_right, top, colors.text, step.value);
    draw_text_right(fonts.strong, columns.share_right, top, colors.text, step.share);
  } else {
    draw_text_right(fonts.text, columns.share_right, top, colors.dim, step.value);
  }
  frame.inspector.record_value(
      path, step.is_recorded ? fmt::format("{} {}", step.share, step.value) : step.value);
}

void draw_sum(Frame& frame, const WaterfallColumns& columns, const Box& row,
              const Waterfall& waterfall) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  horizontal_line(row.left, row.right, row.top, colors.line);
  const float top = row.top + (row.height() - font_size(fonts.text)) / 2;
  draw_text(fonts.text, columns.label, top, colors.text, "Average iteration");
  draw_text_right(fonts.strong, columns.value_right, top, colors.text, waterfall.mean);
  draw_text_right(fonts.strong, columns.share_right, top, colors.text, "100%");
  explain_number(frame, "dashboard/breakdown/sum", row,
                 {"", waterfall.full_mean, "average_iteration", {}, false});
  frame.inspector.record_value("dashboard/breakdown/sum", waterfall.mean);
}

}  // namespace

Waterfall prepare_waterfall(const profile::Profile& profile, const Aggregation& aggregation,
                            std::optional<int64_t> unknown_ns) {
  Waterfall none;
  if (aggregation.devices.empty()) {
    none.why_none = kNoDevices;
    return none;
  }
  if (aggregation.iteration_table->device_count == 0) {
    none.why_none = "No GPU matches the filters.";
    return none;
  }
  Waterfall waterfall = WaterfallBuilder(profile, aggregation).build();
  if (unknown_ns.value_or(0) == 0) return waterfall;
  const double percent =
      100 * static_cast<double>(*unknown_ns) / static_cast<double>(aggregation.all_kernels.gpu_ns);
  if (percent < kLeastNamed) return waterfall;
  waterfall.unknown_use =
      fmt::format("Other kernels include unknown Tensor Core use: {} of kernel time",
                  base::format_percent(percent));
  return waterfall;
}

float draw_waterfall(Frame& frame, const Area& area, const Waterfall& waterfall) {
  const Fonts& fonts = frame.fonts();
  if (waterfall.steps.empty()) {
    return draw_wrapped(fonts.text, area, frame.palette().dim, waterfall.why_none);
  }
  const WaterfallColumns columns = columns_for(frame, area, waterfall);
  const float height = frame.px(kStepHeight);
  float y = area.top;
  for (const WaterfallStep& step : waterfall.steps) {
    draw_step(frame, columns, box_of(area.below(y), height), step, waterfall.mean_ns);
    y += height;
  }
  draw_sum(frame, columns, box_of(area.below(y), height), waterfall);
  y += height;
  if (!waterfall.communication.empty()) {
    const float top = y + frame.px(4);
    y = draw_wrapped(fonts.small, area.below(top), frame.palette().dim, waterfall.communication);
    explain_number(frame, "dashboard/communication", {area.left, top, area.right(), y},
                   {"", waterfall.full_communication, "communication"});
    frame.inspector.record_value("dashboard/communication", waterfall.communication);
  }
  const auto note = [&](const char* path, const std::string& text) {
    if (text.empty()) return;
    frame.inspector.record_value(path, text);
    y = draw_wrapped(fonts.small, area.below(y + frame.px(4)), frame.palette().dim, text);
  };
  note("dashboard/unknown_use", waterfall.unknown_use);
  note("dashboard/data_loading", waterfall.data_loading);
  return y;
}

}  // namespace dlview::ui
