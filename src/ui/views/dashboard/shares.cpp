#include "ui/views/dashboard/shares.h"

#include <string>
#include <string_view>

#include "base/units.h"
#include "ui/chart/category_names.h"

namespace dlview::ui {
namespace {

using aggregate::Aggregation;
using aggregate::Category;

double ratio(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

BarPart timed_part(std::string_view id, std::string_view label, std::string_view metric, Tone tone,
                   int64_t part_ns, int64_t whole_ns) {
  const double fraction = ratio(part_ns, whole_ns);
  return {std::string(id),
          std::string(label),
          base::format_percent(100 * fraction),
          base::format_duration(part_ns),
          std::string(metric),
          tone,
          fraction};
}

}  // namespace

std::vector<BarPart> prepare_breakdown(const Aggregation& aggregation) {
  const auto devices = static_cast<int64_t>(aggregation.devices.size());
  if (devices == 0) return {};
  std::vector<BarPart> parts;
  for (const Category category : aggregate::kCategories) {
    const std::string id = category_id(category);
    const int64_t ns = aggregation.breakdown[category] / devices;
    BarPart part = timed_part(id, category_label(category), "breakdown_" + id, tone_of(category),
                              ns, aggregation.range_ns);
    part.fraction = aggregation.share(category) / 100;
    part.share = base::format_percent(aggregation.share(category));
    if (category == Category::io && !aggregation.io_recorded) {
      part.share.clear();
      part.value = "not recorded";
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<BarPart> prepare_kernel_time(const Aggregation& aggregation) {
  const int64_t total = aggregation.all_kernels.gpu_ns + aggregation.memory.gpu_ns;
  if (total == 0) return {};
  const auto part = [&](std::string_view id, std::string_view label, Tone tone, int64_t ns) {
    return timed_part(id, label, "kernel_gpu_time", tone, ns, total);
  };
  return {
      part("tensor_core_kernels", "Tensor Core", Tone::tensor_core_kernels,
           aggregation.tensor_core_kernels.gpu_ns),
      part("memory", "Memory", Tone::memory, aggregation.memory.gpu_ns),
      part("other_kernels", "All other", Tone::other_kernels, aggregation.other_kernels.gpu_ns)};
}

std::vector<BarPart> prepare_tensor_core_efficiency(const Aggregation& aggregation) {
  const int64_t total = aggregation.eligible_kernel_ns;
  if (total == 0) return {};
  const int64_t used = aggregation.tensor_core_kernel_ns;
  return {timed_part("using", "Using Tensor Cores", "tensor_core_efficiency",
                     Tone::tensor_core_kernels, used, total),
          timed_part("not_using", "Not using them", "tensor_core_efficiency", Tone::other_kernels,
                     total - used, total)};
}

std::vector<BarPart> prepare_utilization(const Aggregation& aggregation) {
  if (aggregation.devices.empty()) return {};
  const auto part = [](std::string_view id, std::string_view label, std::string_view metric,
                       Tone tone, double percent) {
    return BarPart{std::string(id),
                   std::string(label),
                   base::format_percent(percent),
                   "",
                   std::string(metric),
                   tone,
                   percent / 100};
  };
  const double used = aggregation.gpu_utilization();
  return {part("using", "Using GPU", "gpu_utilization", Tone::tensor_core_kernels, used),
          part("idle", "Idle GPU", "gpu_idle", Tone::idle, 100 - used)};
}

}  // namespace dlview::ui
