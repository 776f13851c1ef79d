#include "aggregate/findings.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/rules/rules.h"
#include "aggregate/steady.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "profile/whole_graphs.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;

constexpr std::string_view kMissedTensorCores = "eligible_without_tensor_cores";
constexpr std::string_view kWorkOutside = "work_outside_iterations";
constexpr std::string_view kExposedCommunication = "exposed_communication_detector";
constexpr std::string_view kMemoryOperations = "memory_operations_detector";
constexpr std::string_view kCudaCoreProducts = "cuda_core_products_detector";
constexpr std::string_view kWholeGraphs = "whole_graphs_detector";
constexpr std::string_view kWorkRunsLater = "work_runs_later_detector";
// Work that takes so many times as long as the range did not run in it.
constexpr int64_t kRunsLaterFactor = 3;

std::string counted_ops(std::size_t count) {
  return count == 1 ? "1 op" : fmt::format("{} ops", count);
}

std::vector<const DeviceAggregate*> used_devices(const Aggregation& aggregation) {
  std::vector<const DeviceAggregate*> used;
  for (const DeviceAggregate& device : aggregation.devices) {
    if (device.kernel_union_ns > 0) used.push_back(&device);
  }
  return used;
}

// In the range; mean over the used GPUs, 0 when none was used.
CommunicationTime mean_communication(const std::vector<const DeviceAggregate*>& used) {
  CommunicationTime sum;
  for (const DeviceAggregate* device : used) sum += device->communication;
  const int64_t count = std::max<int64_t>(1, std::ssize(used));
  return {sum.ns / count, sum.exposed_ns / count};
}

class Stakes {
 public:
  Stakes(const Profile& profile, const Aggregation& aggregation)
      : profile_(profile), aggregation_(aggregation), used_(used_devices(aggregation)) {}

  void add_to(Finding& finding) const {
    const std::string_view detector = finding.advice.detector;
    if (detector == "amp_detector" || detector == kMissedTensorCores) {
      const auto ops = ops_without_tensor_cores(profile_, aggregation_);
      int64_t kernel_ns = 0;
      for (const OpAggregate* op : ops) kernel_ns += op->kernel_gpu.sum;
      set_sum(finding, kernel_ns, fmt::format("kernel time of {}", counted_ops(ops.size())));
    } else if (detector == "cudnn_benchmark_detector") {
      set_sum(finding, convolutions_ns(), "kernel time of all convolutions");
    } else if (detector == "dataloader_detector" && !finding.thresholds.empty()) {
      set(finding, exclusive_ns({Category::data_loader}), "data loader while the GPU waits");
    } else if (detector == "no_fusion_detector") {
      set(finding, exclusive_ns({Category::other_kernels}), "kernels without Tensor Cores");
    } else if (detector == "batch_size_detector" ||
               (detector == "underutilized_gpu_detector" && all_used())) {
      set(finding, exclusive_ns({Category::data_loader, Category::cpu, Category::other}),
          "time in which a used GPU is idle");
    } else if (detector == "iteration_variation_detector") {
      set(finding, above_median_ns(), "time above the median iteration");
    } else if (detector == kExposedCommunication) {
      set(finding, mean_communication(used_).exposed_ns, "communication that no kernel hides");
    } else if (detector == kMemoryOperations) {
      set(finding, exclusive_ns({Category::memory}),
          "memory operations beside which no kernel runs");
    }
  }

 private:
  // Else the finding speaks of the unused ones, and what they could save nobody can tell.
  bool all_used() const { return used_.size() == aggregation_.devices.size(); }

  // A plain sum over all GPUs.
  void set_sum(Finding& finding, int64_t total_ns, std::string basis) const {
    set(finding, total_ns / std::max<int64_t>(1, static_cast<int64_t>(used_.size())),
        std::move(basis));
  }
  void set(Finding& finding, int64_t range_ns, std::string basis) const {
    const int64_t stake_ns = range_ns / aggregation_.selection.range.size();
    if (stake_ns <= 0) return;
    finding.stake_ns = stake_ns;
    finding.stake_basis = std::move(basis);
  }

  // Mean over the used GPUs; 0 when none was used.
  int64_t exclusive_ns(std::initializer_list<Category> categories) const {
    if (used_.empty()) return 0;
    int64_t total_ns = 0;
    for (const DeviceAggregate* device : used_) {
      for (const Category category : categories) total_ns += device->breakdown[category];
    }
    return total_ns / static_cast<int64_t>(used_.size());
  }

  int64_t convolutions_ns() const {
    int64_t total_ns = 0;
    for (const OpAggregate& op : aggregation_.ops) {
      const std::string_view type = profile_.text(profile_.ops.type[op.op]);
      if (type.find("conv") != std::string_view::npos) total_ns += op.kernel_gpu.sum;
    }
    return total_ns;
  }

  int64_t above_median_ns() const {
    const std::vector<int64_t> durations = sorted_durations(aggregation_);
    const int64_t median = percentile(durations, 0.5);
    int64_t total_ns = 0;
    for (const int64_t duration : durations) total_ns += std::max<int64_t>(0, duration - median);
    return total_ns;
  }

  const Profile& profile_;
  const Aggregation& aggregation_;
  std::vector<const DeviceAggregate*> used_;
};

// `threshold`: the id of the one that decided; empty where none does.
Finding& add(std::vector<Finding>& findings, Advice advice, std::string_view threshold = {}) {
  Finding& finding = findings.emplace_back(Finding{std::move(advice), std::nullopt, ""});
  if (!threshold.empty()) finding.thresholds = {threshold};
  return finding;
}

std::vector<const OpAggregate*> with_kernels(std::vector<const OpAggregate*> ops) {
  std::erase_if(ops, [](const OpAggregate* op) { return op->kernel_gpu.count == 0; });
  return ops;
}

// In AMP runs the amp detector keeps quiet although single ops stay outside.
void add_missed_tensor_cores(const Profile& profile, const Aggregation& aggregation,
                             std::vector<Finding>& findings) {
  const bool known = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.advice.detector == "amp_detector";
  });
  const auto ops = with_kernels(ops_without_tensor_cores(profile, aggregation));
  if (known || ops.empty()) return;
  const OpAggregate& longest =
      **std::ranges::max_element(ops, {}, [](const OpAggregate* op) { return op->kernel_gpu.sum; });
  Advice advice;
  advice.detector = kMissedTensorCores;
  advice.problem = ops.size() == 1
                       ? "1 eligible op runs without Tensor Cores"
                       : fmt::format("{} eligible ops run without Tensor Cores", ops.size());
  const std::string_view data_type = profile.text(profile.ops.data_type[longest.op]);
  advice.recommendation = fmt::format(
      "{}{} takes {} of kernel time in the range. Run in half precision, with channels and batch "
      "sizes that are multiples of 8",
      profile.text(profile.ops.name[longest.op]),
      data_type.empty() ? "" : fmt::format(" ({})", data_type),
      ops.size() == 1 ? base::format_duration(longest.kernel_gpu.sum)
                      : "the most of them: " + base::format_duration(longest.kernel_gpu.sum));
  advice.action = "ShowBadDataTypeOps";
  add(findings, std::move(advice));
}

// Copies that nothing hides, as in runs that keep weights or activations in the host's memory.
void add_memory_operations(const Profile& profile, const Aggregation& aggregation,
                           double threshold_percent, std::vector<Finding>& findings) {
  const double percent = aggregation.share(Category::memory);
  if (aggregation.memory_op_count == 0 || percent <= threshold_percent) return;
  const auto of_memory = [](const OpAggregate& op) { return op.times.gpu.sum - op.kernel_gpu.sum; };
  const auto most = std::ranges::max_element(aggregation.ops, {}, of_memory);
  Advice advice;
  advice.detector = kMemoryOperations;
  advice.problem =
      fmt::format("{} of the range is memory operations alone: no kernel runs meanwhile",
                  base::format_percent(percent));
  advice.recommendation = fmt::format(
      "{} memory operations, {} of GPU time{}. Keep on the GPU what is used again, and copy the "
      "rest ahead on a stream of its own (pinned memory, non_blocking=True)",
      base::format_count(aggregation.memory_op_count),
      base::format_duration(aggregation.memory.gpu_ns),
      most == aggregation.ops.end()
          ? ""
          : fmt::format(", the most in {}", profile.text(profile.ops.name[most->op])));
  add(findings, std::move(advice), "memory_operations");
}

// Where no op of a framework tells what is eligible, names of kernels do.
void add_cuda_core_products(const Profile& profile, const Aggregation& aggregation,
                            const KernelNames& names, double threshold_percent,
                            std::vector<Finding>& findings) {
  const KernelAggregate* longest = nullptr;
  int64_t total_ns = 0;
  for (const KernelAggregate& kernel : aggregation.kernels) {
    const bool counts = !profile::tells_eligibility(profile, kernel.op) &&
                        !kernel.uses_tensor_cores && names.multiplies_on_cuda_cores(kernel.name);
    if (!counts) continue;
    total_ns += kernel.gpu.sum;
    if (longest == nullptr || kernel.gpu.sum > longest->gpu.sum) longest = &kernel;
  }
  const int64_t all_ns = aggregation.all_kernels.gpu_ns;
  if (total_ns == 0 || all_ns == 0) return;
  const double percent = 100.0 * static_cast<double>(total_ns) / static_cast<double>(all_ns);
  if (percent <= threshold_percent) return;
  Advice advice;
  advice.detector = kCudaCoreProducts;
  advice.problem =
      fmt::format("{} of the kernel time is matrix products and convolutions on CUDA cores",
                  base::format_percent(percent));
  advice.recommendation = fmt::format(
      "{} takes the most: {}. Allow TF32 (torch.backends.cuda.matmul.allow_tf32), or run in half "
      "precision (AMP)",
      profile.text(longest->name), base::format_duration(longest->gpu.sum));
  Finding& finding = add(findings, std::move(advice), "cuda_core_products");
  const auto used = std::max<int64_t>(1, std::ssize(used_devices(aggregation)));
  finding.stake_ns = total_ns / used / aggregation.selection.range.size();
  finding.stake_basis = "kernel time of these";
}

// What runs in a graph that was traced as a whole nobody can tell.
void add_whole_graphs(const Profile& profile, const Aggregation& aggregation,
                      std::vector<Finding>& findings) {
  int64_t graphs_ns = 0, launches = 0;
  for (const KernelAggregate& kernel : aggregation.kernels) {
    if (!profile::is_whole_graph(profile.text(kernel.name))) continue;
    graphs_ns += kernel.gpu.sum;
    launches += kernel.gpu.count;
  }
  if (!profile.trace || launches == 0 || aggregation.all_kernels.gpu_ns == 0) return;
  Advice advice;
  advice.detector = kWholeGraphs;
  advice.problem =
      fmt::format("{} of the kernel time runs in CUDA graphs that were recorded as a whole",
                  base::format_percent(100.0 * static_cast<double>(graphs_ns) /
                                       static_cast<double>(aggregation.all_kernels.gpu_ns)));
  advice.recommendation = fmt::format(
      "{} {} counted as one kernel each: neither their kernels nor their use of Tensor Cores can "
      "be told. Record again with nsys profile --cuda-graph-trace=node",
      base::format_count(launches), launches == 1 ? "launch is" : "launches are");
  add(findings, std::move(advice));
}

// Where the host runs far ahead, iterations that its calls cut tell nothing of the GPU's time.
void add_work_runs_later(const Aggregation& aggregation, std::vector<Finding>& findings) {
  const auto used = std::max<int64_t>(1, std::ssize(used_devices(aggregation)));
  const int64_t work_ns = aggregation.all_kernels.gpu_ns / used;
  if (aggregation.range_ns == 0 || work_ns / kRunsLaterFactor <= aggregation.range_ns) return;
  Advice advice;
  advice.detector = kWorkRunsLater;
  advice.problem =
      fmt::format("The kernels that this range launches take {} of a GPU, the range lasts {}",
                  base::format_duration(work_ns), base::format_duration(aggregation.range_ns));
  advice.recommendation =
      "The host launches far ahead, and iterations split by the host say nothing of the GPU's "
      "time. "
      "Split them by the GPU, in the Iterations view or with --split-by gpu";
  advice.action = "ShowIterations";
  add(findings, std::move(advice));
}

void add_exposed_communication(const Aggregation& aggregation, double threshold_percent,
                               std::vector<Finding>& findings) {
  const double percent = aggregation.share(aggregation.communication.exposed_ns);
  if (aggregation.communication.exposed_ns == 0 || percent <= threshold_percent) return;
  Advice advice;
  advice.detector = kExposedCommunication;
  advice.problem = fmt::format(
      "{:.1f}% of the range is exposed communication: no other kernel runs meanwhile", percent);
  advice.recommendation = fmt::format(
      "{}Overlap it with the backward pass (bucket size of the all-reduce), communicate less often "
      "(gradient accumulation) or less (half precision), or use a faster interconnect",
      aggregation.communication.overlapped_ns() == 0
          ? "None of the communication runs beside computation. "
          : "");
  add(findings, std::move(advice), "exposed_communication");
}

// A run that ranges cut leaves out what lies around them: a warm-up, or what a better key would
// hold.
void add_work_outside(const Aggregation& aggregation, double threshold_percent,
                      std::vector<Finding>& findings) {
  const Iterations& iterations = aggregation.iteration_table->iterations;
  const Outside& outside = aggregation.iteration_table->outside;
  if (iterations.ranges.empty() || outside.kernels == 0) return;
  const auto percent_of = [](int64_t part, int64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  const double kernels =
      percent_of(outside.before.kernels + outside.after.kernels, outside.kernels);
  const double time =
      percent_of(outside.before.kernel_ns + outside.after.kernel_ns, outside.kernel_ns);
  if (std::max(kernels, time) <= threshold_percent) return;
  Advice advice;
  advice.detector = kWorkOutside;
  advice.problem =
      fmt::format("{} of the kernels lie outside every iteration", base::format_percent(kernels));
  advice.recommendation = fmt::format(
      "{} kernels run before the first {}, {} after the last: {} of all kernel time, which "
      "no panel counts. Choose a key that covers them, if they are no warm-up",
      base::format_count(outside.before.kernels), aggregation.selection.cut.key_op,
      base::format_count(outside.after.kernels), base::format_percent(time));
  advice.action = "ShowIterations";
  add(findings, std::move(advice), "work_outside");
}

void tell_how_iterations_vary(const Aggregation& aggregation, Advice& advice) {
  const IterationRange range = aggregation.selection.range;
  advice.problem = fmt::format(
      "Iterations {} to {} vary a lot: the durations of 90% of them span {:.1f} times the median",
      range.first, range.last, iteration_variation(aggregation));
  const auto steady = steady_range(aggregation.iteration_table->iterations);
  if (steady && *steady != range) {
    advice.recommendation =
        fmt::format("Choose the steady range: iterations {} to {}", steady->first, steady->last);
  }
}

// DLProf's texts speak of its command line, and of an empty name when no key op is set.
void speak_of_the_window(const Aggregation& aggregation, Advice& advice) {
  if (advice.detector == "iteration_variation_detector") {
    return tell_how_iterations_vary(aggregation, advice);
  }
  if (advice.detector != "no_iterations_detector") return;
  const std::string& key_op = aggregation.selection.cut.key_op;
  advice.problem =
      key_op.empty()
          ? "The run is not split into iterations: no key op is set"
          : fmt::format("The run is not split into iterations: key op {} was not found", key_op);
  advice.recommendation = "Choose an op that runs once per iteration in the Key op field";
  advice.action = "ShowIterations";
}

// DLProf's text names the largest category of the host, however little that is beside memory
// operations.
void name_memory_first(const Aggregation& aggregation, Finding& finding) {
  if (finding.advice.detector != "underutilized_gpu_detector" || finding.thresholds.empty()) return;
  const double percent = aggregation.share(Category::memory);
  for (const Category category :
       {Category::cpu, Category::data_loader, Category::io, Category::other}) {
    if (aggregation.share(category) >= percent) return;
  }
  finding.advice.recommendation = fmt::format(
      "Memory operations alone take {} of the range, more than anything on the host: look at them "
      "first. {}",
      base::format_percent(percent), finding.advice.recommendation);
}

// The aggregation has that of the defaults.
std::vector<Advice> advice_with(const Profile& profile, const Aggregation& aggregation,
                                const AdviceThresholds& thresholds) {
  return thresholds == AdviceThresholds{} ? aggregation.advice
                                          : advise(profile, aggregation, thresholds);
}

}  // namespace

std::vector<Finding> find_findings(const Profile& profile, const Aggregation& selected,
                                   const AdviceThresholds& thresholds, const RuleIndex* rules,
                                   std::size_t most_places) {
  const Aggregation& aggregation = selected.whole();
  std::vector<Finding> findings;
  for (const Advice& advice : advice_with(profile, aggregation, thresholds)) {
    findings.push_back({advice, std::nullopt, ""});
    findings.back().thresholds = thresholds_of(advice);
    speak_of_the_window(aggregation, findings.back().advice);
    name_memory_first(aggregation, findings.back());
  }
  add_missed_tensor_cores(profile, aggregation, findings);
  add_exposed_communication(aggregation, thresholds.exposed_communication, findings);
  add_memory_operations(profile, aggregation, thresholds.memory_operations, findings);
  add_work_outside(aggregation, thresholds.work_outside, findings);
  add_whole_graphs(profile, aggregation, findings);
  add_work_runs_later(aggregation, findings);
  if (rules != nullptr) {
    add_cuda_core_products(profile, aggregation, rules->kernel_names(),
                           thresholds.cuda_core_products, findings);
  }
  const Stakes stakes(profile, aggregation);
  for (Finding& finding : findings) stakes.add_to(finding);
  if (rules != nullptr) {
    std::ranges::move(apply_rules(profile, *rules, aggregation, thresholds, most_places),
                      std::back_inserter(findings));
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.stake_ns.value_or(0) > b.stake_ns.value_or(0);
  });
  return findings;
}

std::vector<const OpAggregate*> ops_without_tensor_cores(const Profile& profile,
                                                         const Aggregation& aggregation) {
  std::vector<const OpAggregate*> ops;
  for (const OpAggregate& op : aggregation.ops) {
    if (profile.is_eligible(op.op) && !op.uses_tensor_cores()) ops.push_back(&op);
  }
  std::stable_sort(ops.begin(), ops.end(), [](const OpAggregate* a, const OpAggregate* b) {
    return a->times.gpu.sum > b->times.gpu.sum;
  });
  return ops;
}

}  // namespace dlview::aggregate
