#include "ui/views/dashboard/shares.h"

#include <fmt/format.h>

#include "aggregate/recorded.h"
#include "base/units.h"
#include "profile/recorded.h"
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

// No filter matches memory operations alone, nor what the host does.
std::optional<aggregate::Filter> filter_of(Category category) {
  if (category == Category::tensor_core_kernels) return tensor_core_filter(true);
  if (category == Category::other_kernels) return tensor_core_filter(false);
  return std::nullopt;
}

double percent_of(int64_t part, int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
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

}  // namespace

std::optional<UnknownUseTimes> UnknownTimeData::times(const Model& model, Background& background) {
  const auto times_of = [&](const aggregate::UnknownTensorCoreUse& use) {
    if (summed_for_ != model.aggregation || summed_ != &use) {
      summed_for_ = model.aggregation;
      summed_ = &use;
      times_ = {use.gpu_ns(*model.aggregation), use.eligible_gpu_ns(*model.aggregation)};
    }
    return times_;
  };
  // A database stores an answer for each kernel.
  if (!model.profile->source.by_tensor_core_rules) return UnknownUseTimes{};
  const auto& all = model.unknown_use;
  if (!all) return std::nullopt;
  const auto& filters = model.aggregation->selection.filters;
  if (filters.empty()) return times_of(*all);
  filtered_.want(
      filters, has_few_events(*model.profile), background,
      [profile = model.profile, all, filters](const base::Progress&) {
        return std::make_shared<const Filtered>(Filtered{filters, all->filtered(filters)});
      });
  const std::shared_ptr<const Filtered>& filtered = filtered_.get();
  if (!filtered || filtered->filters != filters) return std::nullopt;
  return times_of(filtered->use);
}

std::optional<aggregate::KnownEfficiency> efficiency_of(
    const profile::Profile& profile, const Aggregation& aggregation,
    const std::optional<UnknownUseTimes>& unknown_times) {
  if (!unknown_times) return std::nullopt;
  return aggregate::known_efficiency(profile, aggregation, unknown_times->eligible_gpu_ns);
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
  BarPart& others = parts.back();
  others.filter.reset();  // it would match the unknown ones too
  if (!unknown_ns) {
    others.tone = Tone::unknown;
    others.share.clear();
    others.full.clear();
    others.value = kLateNote;
    return parts;
  }
  parts.push_back(timed_part("unknown_kernels", "Tensor Core use unknown",
                             "kernel_gpu_time_unknown", Tone::unknown, *unknown_ns,
                             percent_of(*unknown_ns, total)));
  return parts;
}

std::vector<BarPart> prepare_tensor_core_efficiency(const aggregate::KnownEfficiency& known) {
  const int64_t eligible = known.eligible_ns;
  if (eligible == 0) return {};
  const int64_t used = known.tensor_core_ns;
  const int64_t missed = eligible - used;
  std::vector<BarPart> parts{
      timed_part("using", "Using Tensor Cores", "kernel_gpu_time_tensor_core",
                 Tone::tensor_core_kernels, used, percent_of(used, eligible)),
      timed_part("not_using", "Not using Tensor Cores", "tensor_core_missed", Tone::other_kernels,
                 missed, percent_of(missed, eligible))};
  parts[0].filter = tensor_core_filter(true);
  if (missed > 0) parts[1].opens = "the kernels without Tensor Cores";
  return parts;
}

std::string not_counted_text(const aggregate::KnownEfficiency& known) {
  std::string text;
  const auto add = [&](int64_t ns, std::string_view what) {
    if (ns == 0) return;
    text += fmt::format("{}Not counted: {} ({} of kernel time), {} unknown",
                        text.empty() ? "" : "\n", base::format_duration(ns),
                        base::format_percent(percent_of(ns, known.all_ns)), what);
  };
  add(known.unknown_eligibility_ns, "eligibility");
  add(known.unknown_use_ns, "use of Tensor Cores");
  return text;
}

std::string_view no_eligibility(const profile::Profile& profile) {
  return profile::is_pytorch_trace(profile)
             ? "Tensor Core eligibility is unknown outside PyTorch's ops. Record ops with "
               "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])."
             : "Tensor Core eligibility is unknown outside framework ops. Record ops with nsys "
               "profile --pytorch=autograd-shapes-nvtx.";
}

std::string why_no_efficiency(const profile::Profile& profile, const Aggregation& aggregation,
                              const std::optional<aggregate::KnownEfficiency>& known) {
  if (!profile::tells_of(profile, Evidence::gpu_work)) {
    return lack_text(profile, Evidence::gpu_work);
  }
  if (!aggregate::tells_eligibility(profile, aggregation))
    return std::string(no_eligibility(profile));
  if (!known) return "Analyzing…";
  if (known->unknown_use_ns > 0) return "No rule matches the names of the kernels of eligible ops.";
  return aggregation.selection.filters.empty()
             ? "No eligible op ran a kernel in this range."
             : "No eligible op that matches the filters ran a kernel in this range.";
}

std::string why_no_kernel_time(const profile::Profile& profile, const Aggregation& aggregation) {
  const std::string lack = lack_text(profile, Evidence::gpu_work);
  if (!lack.empty()) return lack;
  return aggregation.selection.filters.empty()
             ? "No kernel or memory operation ran in this range."
             : "No kernel or memory operation in this range matches the filters.";
}

}  // namespace dlview::ui
