#include "ui/views/details/details.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "aggregate/find_op.h"
#include "aggregate/group_tree.h"
#include "base/units.h"
#include "profile/communication.h"
#include "profile/recorded.h"
#include "ui/explanations.h"
#include "ui/text.h"

namespace dlview::ui {
namespace {

using aggregate::OpAggregate;
using aggregate::Stats;
using aggregate::UnknownTensorCoreUse;
using profile::Evidence;
using Times = DetailsContent::Times;

constexpr std::size_t kMostFullNames = 5;

const aggregate::KernelAggregate* find_kernel(const aggregate::Aggregation& aggregation,
                                              const DetailsSubject& subject) {
  const auto found = std::ranges::find_if(aggregation.kernels, [&](const auto& kernel) {
    return kernel.op == subject.op && kernel.name == *subject.kernel;
  });
  return found == aggregation.kernels.end() ? nullptr : &*found;
}

Times times_row(std::string id, std::string label, aggregate::MetricId metric, const Stats& stats) {
  return {std::move(id),
          std::move(label),
          metric,
          base::format_duration(stats.sum),
          base::format_duration(stats.min),
          base::format_duration(stats.average()),
          base::format_duration(stats.max),
          fmt::format("sum {}, {} values", base::format_ns(stats.sum),
                      base::format_count(stats.count))};
}

void add_fact(DetailsContent& content, std::string id, std::string label, std::string_view value,
              bool attention = false) {
  if (value.empty()) return;
  content.facts.push_back({std::move(id), std::move(label), std::string(value), attention});
}

void add_text(DetailsContent& content, std::string title, std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (text == "null" || text == "[]" || text == "{}") return;  // JSON for nothing
  if (!text.empty()) content.texts.push_back({std::move(title), std::string(text)});
}

void add_launches(DetailsContent& content, const profile::Profile& profile, int64_t launches) {
  const bool has_gpu_work = profile::tells_of(profile, Evidence::gpu_work);
  add_fact(content, "kernels", "Kernel launches",
           has_gpu_work ? base::format_count(launches) : "not recorded");
}

// The times that were recorded.
std::vector<Times> times_rows(const profile::Profile& profile, const aggregate::TimeStats& times) {
  std::vector<Times> rows{times_row("cpu_time", "CPU time", "op_cpu_time", times.cpu)};
  const bool has_gpu_work = profile::tells_of(profile, Evidence::gpu_work);
  if (has_gpu_work) rows.push_back(times_row("gpu_time", "GPU time", "op_gpu_time", times.gpu));
  if (profile::tells_of(profile, Evidence::api_calls)) {
    rows.push_back(times_row("cpu_overhead", "CPU overhead", "op_overhead_time", times.overhead));
  }
  if (has_gpu_work)
    rows.push_back(times_row("gpu_idle", "GPU idle in op", "op_idle_time", times.idle));
  return rows;
}

void describe_op(DetailsContent& content, const profile::Profile& profile, profile::OpIndex op) {
  const profile::Ops& ops = profile.ops;
  const std::string_view direction = profile.text(ops.direction[op]);
  const std::string_view type = profile.text(ops.type[op]);
  add_fact(content, "id", "Op ID", profile.text(ops.id[op]));
  add_fact(content, "type", direction.empty() ? "Type" : "Type · direction",
           direction.empty() ? std::string(type) : fmt::format("{} · {}", type, direction));
  add_fact(content, "data_type", "Data type", profile.text(ops.data_type[op]));
}

// Adds shapes and parameters of the first instance in the range.
void describe_instance(DetailsContent& content, const profile::Profile& profile,
                       profile::InstanceIndex instance) {
  const profile::OpInstances& all = profile.instances;
  add_text(content, "Input shapes", profile.text(all.input_shapes[instance]));
  add_text(content, "Output shapes", profile.text(all.output_shapes[instance]));
  add_text(content, "Parameters", profile.text(all.parameters[instance]));
}

void describe_layouts(DetailsContent& content, const profile::Profile& profile,
                      profile::OpIndex op) {
  add_fact(content, "data_format", "Data format", profile.text(profile.ops.data_format[op]));
  add_fact(content, "output_format", "Output format", profile.text(profile.ops.output_format[op]));
}

DetailsContent prepare_op(const profile::Profile& profile,
                          const aggregate::Aggregation& aggregation,
                          const aggregate::OpInstances& instances,
                          const UnknownTensorCoreUse* unknown, profile::OpIndex row) {
  DetailsContent content;
  content.kind = "Op";
  content.name = profile.text(profile.ops.name[row]);
  content.filter = aggregate::Filter{.kind = aggregate::FilterKind::op,
                                     .text = std::string(profile.text(profile.ops.id[row]))};
  describe_op(content, profile, row);
  describe_layouts(content, profile, row);
  add_text(content, "What this is", explain_op(profile, row));
  const OpAggregate* op = aggregate::find_op(aggregation, row);
  const std::string verdict = tensor_core_text(profile, row, op, unknown);
  const bool is_unknown = unknown != nullptr && unknown->is_of_op(row);
  const bool missed =
      profile.is_eligible(row) && !is_unknown && (op == nullptr || !op->uses_tensor_cores());
  add_fact(content, "tensor_cores", "Tensor Cores", verdict, missed);
  if (op == nullptr) {
    add_fact(content, "range", "In the range", "no calls");
    return content;
  }
  add_fact(content, "calls", "Calls", base::format_count(op->times.count()));
  add_launches(content, profile, op->kernel_gpu.count);
  content.times = times_rows(profile, op->times);
  aggregate::InstanceDurations durations =
      aggregate::instance_durations(profile, aggregation, instances.of(row));
  content.durations_title = durations.of_gpu ? "GPU time per call (union)" : "CPU time per call";
  content.sample_count = durations.samples.size();
  content.tone = op->uses_tensor_cores()                  ? Tone::tensor_core_kernels
                 : is_unknown && op->kernel_gpu.count > 0 ? Tone::unknown
                 : op->kernel_gpu.count > 0               ? Tone::other_kernels
                 : durations.of_gpu                       ? Tone::memory
                                                          : Tone::cpu;
  if (!durations.samples.empty()) {
    describe_instance(content, profile, durations.samples.front().instance);
  }
  content.durations = aggregate::distribution(std::move(durations.samples), kHistogramBins);
  add_text(content, "Stack trace", profile.text(profile.ops.stack_trace[row]));
  return content;
}

// Adds the names with the most time, numbered, with their count.
void add_full_names(DetailsContent& content, const profile::Profile& profile,
                    std::vector<aggregate::FullNameUse> names) {
  std::erase_if(names, [&](const auto& use) { return profile.text(use.name).empty(); });
  if (names.size() == 1) return add_text(content, "Full name", profile.text(names[0].name));
  const std::size_t shown = std::min(names.size(), kMostFullNames);
  for (std::size_t i = 0; i < shown; ++i) {
    const aggregate::FullNameUse& use = names[i];
    add_text(
        content,
        fmt::format("Full name {} of {} · {} · {}", i + 1, names.size(),
                    base::counted(use.launches, "launches"), base::format_duration(use.gpu_ns)),
        profile.text(use.name));
  }
}

// Looks at the name, then at the full names.
std::optional<profile::Communication> communication_of(
    const profile::Profile& profile, std::string_view name,
    const std::vector<aggregate::FullNameUse>& full_names) {
  auto communication = profile::communication_of(name);
  for (const aggregate::FullNameUse& use : full_names) {
    if (!communication) communication = profile::communication_of(profile.text(use.name));
  }
  return communication;
}

// "32", or "32 to 64"; empty where none is recorded.
template <typename Text>
std::string span_text(const aggregate::Stats& values, const Text& text) {
  if (values.count == 0) return {};
  if (values.min == values.max) return text(values.min);
  return fmt::format("{} to {}", text(values.min), text(values.max));
}

void describe_launches(DetailsContent& content, const aggregate::LaunchSums& sums) {
  add_fact(content, "registers", "Registers per thread",
           span_text(sums.registers_per_thread, base::format_count));
  add_fact(content, "shared_memory", "Shared memory",
           span_text(sums.shared_bytes, base::format_bytes));
  if (const auto blocks = sums.means.blocks_per_sm.mean()) {
    add_fact(content, "blocks_per_sm", "Blocks per SM (mean)", base::format_number(*blocks / 1e6));
  }
  if (const auto occupancy = sums.means.occupancy.mean()) {
    add_fact(content, "occupancy", "Est. achieved occupancy (mean)",
             base::format_percent(*occupancy));
  }
}

DetailsContent prepare_kernel(const profile::Profile& profile,
                              const aggregate::Aggregation& aggregation,
                              const aggregate::OpInstances& instances,
                              const UnknownTensorCoreUse* unknown, const DetailsSubject& subject) {
  DetailsContent content;
  content.kind = "Kernel";
  content.name = profile.text(*subject.kernel);
  content.filter = aggregate::Filter{.kind = aggregate::FilterKind::kernel, .text = content.name};
  content.samples = "launches";
  add_fact(content, "op", "Op", profile.text(profile.ops.name[subject.op]));
  describe_op(content, profile, subject.op);
  const aggregate::KernelAggregate* kernel = find_kernel(aggregation, subject);
  if (kernel == nullptr) {
    add_fact(content, "range", "In the range", "no calls");
    return content;
  }
  content.times = {times_row("gpu_time", "GPU time", "kernel_gpu_time", kernel->gpu),
                   times_row("api_time", "API time", "", kernel->api)};
  std::vector<aggregate::DurationSample> samples =
      aggregate::kernel_durations(profile, aggregation, instances.of(subject.op), *subject.kernel);
  const std::vector<aggregate::FullNameUse> names =
      aggregate::full_names(profile, aggregation, instances.of(subject.op), *subject.kernel);
  add_fact(content, "tensor_cores", "Tensor Cores",
           names.empty()
               ? (kernel->uses_tensor_cores ? "used" : "not used")
               : tensor_core_text(profile, kernel->uses_tensor_cores, names.front().first));
  add_fact(content, "calls", "Launches", base::format_count(kernel->gpu.count));
  describe_launches(content, aggregate::launch_sums(profile, aggregation, instances.of(subject.op),
                                                    *subject.kernel));
  content.durations_title = "GPU time per launch";
  const bool is_unknown = unknown != nullptr && unknown->is_of_name(*subject.kernel);
  if (is_unknown) content.tone = Tone::unknown;
  if (kernel->uses_tensor_cores) content.tone = Tone::tensor_core_kernels;
  content.sample_count = samples.size();
  if (const auto communication = communication_of(profile, content.name, names)) {
    content.tone = Tone::communication;
    add_fact(content, "communication", "Communication", to_text(*communication));
  }
  add_full_names(content, profile, names);
  content.durations = aggregate::distribution(std::move(samples), kHistogramBins);
  return content;
}

// Returns the ops of a group that run in the range.
std::vector<const OpAggregate*> running_ops(const aggregate::Aggregation& aggregation,
                                            const std::vector<profile::OpIndex>& ops) {
  std::vector<const OpAggregate*> running;
  for (const profile::OpIndex row : ops) {
    if (const OpAggregate* op = aggregate::find_op(aggregation, row)) running.push_back(op);
  }
  return running;
}

// "8 fprop · 4 bprop"
std::string direction_counts(const profile::Profile& profile,
                             const std::vector<const OpAggregate*>& ops) {
  std::map<std::string_view, int64_t, std::greater<>> counts;  // fprop before bprop
  for (const OpAggregate* op : ops) ++counts[profile.text(profile.ops.direction[op->op])];
  std::string text;
  for (const auto& [direction, count] : counts) {
    if (direction.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " · ", base::format_count(count), direction);
  }
  return text;
}

void describe_group(DetailsContent& content, const profile::Profile& profile,
                    const aggregate::Aggregation& aggregation,
                    const aggregate::GroupAggregate& group,
                    const std::vector<const OpAggregate*>& ops,
                    const UnknownTensorCoreUse* unknown) {
  const int64_t all_ns = aggregation.whole().model_times.gpu.sum;
  if (all_ns > 0) {
    const double share =
        static_cast<double>(group.times.gpu.sum) / static_cast<double>(all_ns) * 100;
    add_fact(content, "share", "Share",
             fmt::format("{} of all ops' GPU time", base::format_percent(share)));
  }
  add_fact(content, "ops", "Ops", base::format_count(static_cast<int64_t>(ops.size())));
  add_fact(content, "directions", "Directions", direction_counts(profile, ops));
  const auto is_unknown = [unknown](const OpAggregate* op) {
    return unknown != nullptr && unknown->is_of_op(op->op) && !op->uses_tensor_cores();
  };
  const bool missed = std::ranges::any_of(ops, [&](const OpAggregate* op) {
    return profile.is_eligible(op->op) && !op->uses_tensor_cores() && !is_unknown(op);
  });
  const auto unknown_ops = std::ranges::count_if(ops, is_unknown);
  add_fact(
      content, "tensor_cores", "Tensor Cores",
      fmt::format(
          "{} eligible · used by {}{}", base::counted(group.eligible_ops, "ops"),
          base::format_count(group.tensor_core_ops),
          unknown_ops == 0 ? "" : fmt::format(" · {} unknown", base::format_count(unknown_ops))),
      missed);
  int64_t launches = 0;
  for (const OpAggregate* op : ops) launches += op->kernel_gpu.count;
  add_fact(content, "calls", "Calls", base::format_count(group.instance_count));
  add_launches(content, profile, launches);
}

void list_ops(DetailsContent& content, const profile::Profile& profile,
              std::vector<const OpAggregate*> ops, bool by_gpu) {
  const auto time = [by_gpu](const OpAggregate* op) {
    return by_gpu ? op->times.gpu.sum : op->times.cpu.sum;
  };
  std::ranges::stable_sort(ops, std::ranges::greater(), time);
  content.ops_title = by_gpu ? "GPU time" : "CPU time";
  for (const OpAggregate* op : ops) {
    if (content.ops.size() == kMostOps) break;
    content.ops.push_back(
        {op->op, std::string(profile.text(profile.ops.id[op->op])),
         std::string(profile.text(profile.ops.name[op->op]).substr(content.name.size())),
         std::string(profile.text(profile.ops.direction[op->op])),
         base::format_duration(time(op))});
  }
  if (ops.size() > kMostOps) {
    content.more_ops =
        fmt::format("and {} more", base::format_count(static_cast<int64_t>(ops.size() - kMostOps)));
  }
}

DetailsContent prepare_group(const profile::Profile& profile,
                             const aggregate::Aggregation& aggregation,
                             const aggregate::OpInstances& instances,
                             const UnknownTensorCoreUse* unknown, profile::Row row) {
  const aggregate::GroupTree& tree = *aggregation.group_tree;
  DetailsContent content;
  content.kind = "Group";
  content.name = aggregate::group_name(profile, tree.groups[row]);
  content.filter = aggregate::Filter{.kind = aggregate::FilterKind::group, .text = content.name};
  content.samples = "iterations";
  const auto group = std::ranges::find(aggregation.groups, row, &aggregate::GroupAggregate::group);
  if (group == aggregation.groups.end()) {
    add_fact(content, "range", "In the range", "no calls");
    return content;
  }
  const std::vector<profile::OpIndex> all = aggregate::ops_below(tree, row);
  const std::vector<const OpAggregate*> ops = running_ops(aggregation, all);
  describe_group(content, profile, aggregation, *group, ops, unknown);
  content.times = times_rows(profile, group->times);
  aggregate::InstanceDurations durations =
      aggregate::iteration_durations(profile, aggregation, instances, all);
  content.durations_title = durations.of_gpu
                                ? "GPU time per iteration (union per call, summed over calls)"
                                : "CPU time per iteration";
  content.sample_count = durations.samples.size();
  content.tone = durations.of_gpu ? Tone::other_kernels : Tone::cpu;
  content.durations = aggregate::distribution(std::move(durations.samples), kHistogramBins);
  list_ops(content, profile, ops, durations.of_gpu);
  return content;
}

}  // namespace

DetailsContent prepare_details(const profile::Profile& profile,
                               const aggregate::Aggregation& aggregation,
                               const aggregate::OpInstances& instances,
                               const UnknownTensorCoreUse* unknown, const DetailsSubject& subject) {
  if (subject.group != profile::kNoRow) {
    return prepare_group(profile, aggregation, instances, unknown, subject.group);
  }
  return subject.kernel ? prepare_kernel(profile, aggregation, instances, unknown, subject)
                        : prepare_op(profile, aggregation, instances, unknown, subject.op);
}

}  // namespace dlview::ui
