#include "ui/views/dashboard/shares.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "aggregate/recorded.h"
#include "base/units.h"
#include "ui/chart/categories.h"
#include "ui/data_quality.h"
#include "ui/widgets/number.h"

namespace dlview::ui {
namespace {

using aggregate::Aggregation;
using aggregate::Category;
using profile::Evidence;

aggregate::Filter tensor_core_filter(bool uses) {
  return {.kind = aggregate::FilterKind::tensor_core, .number = uses ? 1 : 0};
}

// Filters keep ops and GPU events: none keeps just the copies, nor what the host does.
std::optional<aggregate::Filter> filter_of(Category category) {
  if (category == Category::tensor_core_kernels) return tensor_core_filter(true);
  if (category == Category::other_kernels) return tensor_core_filter(false);
  return std::nullopt;
}

void set_not_recorded(BarPart& part) {
  part.share.clear();
  part.value = part.full = "not recorded";
  part.fraction = 0;
  part.recorded = false;
  part.filter.reset();
}

double percent_of(int64_t part, int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

constexpr float kLaneHeight = 8;
constexpr float kSwatch = 15;  // with the space behind it
constexpr float kBetween = 28;

float entry_width(const Frame& frame, const BarPart& part, bool has_swatch) {
  const Fonts& fonts = frame.fonts();
  return (has_swatch ? frame.px(kSwatch) : 0) + text_width(fonts.text, part.label) + frame.px(8) +
         text_width(fonts.strong, part.share) + frame.px(5) + text_width(fonts.text, part.value);
}

void draw_entry(Frame& frame, const Box& box, const BarPart& part, Color swatch) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  float x = box.left;
  if (swatch != 0) {
    const float half = frame.px(4);
    const float middle = std::round((box.top + box.bottom) / 2);
    fill({x, middle - half, x + 2 * half, middle + half}, swatch, frame.px(2));
    x += frame.px(kSwatch);
  }
  draw_text(fonts.text, x, box.top, colors.text, part.label);
  x += text_width(fonts.text, part.label) + frame.px(8);
  draw_text(fonts.strong, x, box.top, colors.text, part.share);
  x += text_width(fonts.strong, part.share) + frame.px(5);
  draw_text(fonts.text, x, box.top, colors.dim, part.value);
  const std::string path = "dashboard/breakdown/" + part.id;
  explain_number(frame, path, box, {part.label, part.full, part.metric});
  frame.inspector.record_value(path, fmt::format("{} {}", part.share, part.value));
}

// A part with its time and its share of the whole.
BarPart timed_part(std::string_view id, std::string_view label, aggregate::MetricId metric,
                   Tone tone, int64_t part_ns, double percent) {
  BarPart part;
  part.id = id;
  part.label = label;
  part.share = base::format_percent(percent);
  part.value = base::format_duration(part_ns);
  part.full = base::format_ns(part_ns) + " · " + full_percent(percent);
  part.metric = metric;
  part.tone = tone;
  part.fraction = percent / 100;
  return part;
}

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

// Of a sum over the devices that the filters keep.
// With no device kept the sum is 0.
int64_t mean_over_devices(const Aggregation& aggregation, int64_t device_sum_ns) {
  return device_sum_ns / std::max<int64_t>(1, aggregation.iteration_table->device_count);
}

}  // namespace

std::optional<int64_t> UnknownUseData::gpu_ns(const Model& model, Background& background) {
  const bool at_once = has_few_events(*model.profile);
  all_.want(model.profile, at_once, background, [profile = model.profile](const base::Progress&) {
    return std::make_shared<const Use>(*profile);
  });
  const std::shared_ptr<const Use>& all = all_.get();
  if (!all) return std::nullopt;
  const auto& filters = model.aggregation->selection.filters;
  if (filters.empty()) return all->gpu_ns(*model.aggregation);
  filtered_.want(
      filters, at_once, background, [profile = model.profile, all, filters](const base::Progress&) {
        return std::make_shared<const Filtered>(Filtered{filters, all->filtered(filters)});
      });
  const std::shared_ptr<const Filtered>& filtered = filtered_.get();
  if (!filtered || filtered->filters != filters) return std::nullopt;
  return filtered->use.gpu_ns(*model.aggregation);
}

std::vector<BarPart> prepare_breakdown(const profile::Profile& profile,
                                       const Aggregation& aggregation) {
  if (aggregation.devices.empty()) return {};
  const aggregate::RecordedCategories recorded(profile, aggregation);
  std::vector<BarPart> parts;
  for (const Category category : aggregate::kCategories) {
    const std::string id = category_id(category);
    const int64_t ns = mean_over_devices(aggregation, aggregation.breakdown[category]);
    BarPart part = timed_part(id, category_label(category), metric_of(category), tone_of(category),
                              ns, aggregation.share(category));
    part.filter = filter_of(category);
    if (!recorded.contains(category)) set_not_recorded(part);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<BarPart> prepare_kernel_time(const Aggregation& aggregation,
                                         std::optional<int64_t> unknown_ns) {
  const int64_t total = aggregation.all_kernels.gpu_ns + aggregation.memory.gpu_ns;
  if (total == 0) return {};
  const auto part = [&](Category category, std::string_view label, aggregate::MetricId metric,
                        int64_t ns) {
    BarPart result = timed_part(category_id(category), label, metric, tone_of(category), ns,
                                percent_of(ns, total));
    result.filter = filter_of(category);
    return result;
  };
  std::vector<BarPart> parts{
      part(Category::tensor_core_kernels, "Tensor Core", "kernel_gpu_time_tensor_core",
           aggregation.tensor_core_kernels.gpu_ns),
      part(Category::memory, "Memory", "kernel_gpu_time_memory", aggregation.memory.gpu_ns),
      part(Category::other_kernels, "All other", "kernel_gpu_time_other",
           aggregation.other_kernels.gpu_ns - unknown_ns.value_or(0))};
  if (unknown_ns == 0) return parts;
  parts.back().filter.reset();  // it would keep the unknown ones too
  if (!unknown_ns) return parts;
  parts.push_back(timed_part("unknown_kernels", "Tensor Core use unknown",
                             "kernel_gpu_time_unknown", Tone::unknown, *unknown_ns,
                             percent_of(*unknown_ns, total)));
  return parts;
}

std::vector<BarPart> prepare_tensor_core_efficiency(const profile::Profile& profile,
                                                    const Aggregation& aggregation) {
  const int64_t eligible = aggregation.eligible_kernel_ns;
  if (eligible == 0) return {};
  const int64_t used = aggregation.tensor_core_kernel_ns;
  const int64_t missed = eligible - used;
  const int64_t untold = aggregate::untold_kernel_ns(profile, aggregation);
  const int64_t total = eligible + untold;
  std::vector<BarPart> parts{
      timed_part("using", "Using Tensor Cores", "kernel_gpu_time_tensor_core",
                 Tone::tensor_core_kernels, used, percent_of(used, total)),
      timed_part("not_using", "Not using them", "tensor_core_missed", Tone::other_kernels, missed,
                 percent_of(missed, total))};
  parts[0].filter = tensor_core_filter(true);
  if (missed > 0) parts[1].opens = "the kernels without Tensor Cores";
  if (untold > 0) {
    parts.push_back(timed_part("untold", "Eligibility unknown", "tensor_core_untold", Tone::unknown,
                               untold, percent_of(untold, total)));
  }
  return parts;
}

std::string_view efficiency_note(const std::vector<BarPart>& parts) {
  const bool has_untold = std::ranges::find(parts, "untold", &BarPart::id) != parts.end();
  return has_untold ? "of eligible and unknown ops" : "plain sum";
}

std::string why_no_efficiency(const profile::Profile& profile, const Aggregation& aggregation) {
  if (!profile::tells_of(profile, Evidence::gpu_work)) {
    return lack_text(profile, Evidence::gpu_work);
  }
  if (!aggregate::tells_eligibility(profile, aggregation)) return std::string(kNoEligibility);
  return aggregation.selection.filters.empty()
             ? "No op that is eligible for Tensor Cores ran a kernel in this range."
             : "No op that is eligible for Tensor Cores and that the filters keep ran a kernel in "
               "this range.";
}

std::string why_no_kernel_time(const profile::Profile& profile, const Aggregation& aggregation) {
  const std::string lack = lack_text(profile, Evidence::gpu_work);
  if (!lack.empty()) return lack;
  return aggregation.selection.filters.empty()
             ? "No kernel and no memory operation ran in this range."
             : "No kernel and no memory operation that the filters keep ran in this range.";
}

std::string why_no_utilization(const profile::Profile& profile) {
  const std::string lack = lack_text(profile, Evidence::gpu_work);
  return lack.empty() ? std::string(kNoDevices) : lack;
}

std::vector<BarPart> prepare_utilization(const profile::Profile& profile,
                                         const Aggregation& aggregation) {
  const bool has_gpu_work = profile::tells_of(profile, Evidence::gpu_work);
  if (aggregation.devices.empty() || !has_gpu_work) return {};
  const auto part = [](std::string_view id, std::string_view label, aggregate::MetricId metric,
                       Tone tone, double percent) {
    BarPart result = timed_part(id, label, metric, tone, 0, percent);
    result.value.clear();
    result.full = full_percent(percent);
    return result;
  };
  const double used = aggregation.gpu_utilization();
  return {part("using", "Kernels running", "gpu_utilization", Tone::busy, used),
          part("idle", "No kernel running", "gpu_idle", Tone::idle, 100 - used)};
}

std::vector<BarPart> prepare_communication(const aggregate::Aggregation& aggregation) {
  if (!aggregation.iteration_table->has_communication) return {};
  const auto part = [&](aggregate::MetricId metric, std::string_view label, int64_t device_sum_ns) {
    return timed_part(metric.text(), label, metric, Tone::communication,
                      mean_over_devices(aggregation, device_sum_ns),
                      aggregation.share(device_sum_ns));
  };
  const aggregate::CommunicationTime& time = aggregation.communication;
  return {part("communication", "Communication", time.ns),
          part("communication_exposed", "exposed", time.exposed_ns),
          part("communication_overlapped", "overlapped", time.overlapped_ns())};
}

float draw_communication(Frame& frame, const Area& area, const std::vector<BarPart>& parts) {
  horizontal_line(area.left, area.right(), area.top, frame.palette().line);
  const float top = area.top + frame.px(12);
  const Box lane{area.left, top, area.right(), top + frame.px(kLaneHeight)};
  draw_communication_lane(frame, lane, {parts[1].fraction, parts[2].fraction});
  const auto swatches = communication_colors(frame.palette());
  const float height = line_height(frame.fonts().text);
  float x = area.left;
  float y = lane.bottom + frame.px(8);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const float width = entry_width(frame, parts[i], i > 0);
    if (x > area.left && x + width > area.right()) {
      x = area.left;
      y += height + frame.px(4);
    }
    draw_entry(frame, {x, y, x + width, y + height}, parts[i], i > 0 ? swatches[i - 1] : 0);
    x += width + frame.px(kBetween);
  }
  return y + height;
}

}  // namespace dlview::ui
