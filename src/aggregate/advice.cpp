#include "aggregate/advice.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "aggregate/steady.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;

// Everything a detector looks at.
struct Evidence {
  const Profile& profile;
  const Aggregation& aggregation;
  const AdviceThresholds& thresholds;

  std::string_view op_type(const OpAggregate& op) const {
    return profile.text(profile.ops.type[op.op]);
  }
  bool runs(std::string_view framework) const {
    return profile.system.mode.find(framework) != std::string::npos;
  }
  bool has_op_type_with(std::string_view part) const {
    return std::any_of(aggregation.ops.begin(), aggregation.ops.end(), [&](const OpAggregate& op) {
      return op_type(op).find(part) != std::string_view::npos;
    });
  }
};

using Findings = std::vector<Advice>;

constexpr std::string_view kNoDali = "No DALI ops detected";
constexpr std::string_view kUseDali =
    "Consider using NVIDIA DALI, a library that is a high performance alternative to built-in data "
    "loaders and data iterators. Learn more here: https://developer.nvidia.com/DALI";
constexpr std::string_view kUnusedGpus = "The following GPU device IDs are not being used: ";

void detect_missing_fusion(const Evidence& e, Findings& findings) {
  if (!e.runs("tensorflow") || e.has_op_type_with("Xla")) return;
  findings.push_back({"no_fusion_detector", "XLA is not enabled: No XLA ops detected",
                      "Try enabling XLA. See "
                      "https://www.tensorflow.org/xla/#enable_xla_for_tensorflow_models for "
                      "information on how to enable XLA.",
                      "", ""});
}

void detect_missing_half_precision(const Evidence& e, Findings& findings) {
  int64_t bad = 0;
  for (const OpAggregate& op : e.aggregation.ops) {
    if (!e.profile.is_eligible(op.op)) continue;
    const std::string_view data_type = e.profile.text(e.profile.ops.data_type[op.op]);
    if (is_half_precision(data_type)) return;
    if (data_type == kBadDataType) ++bad;
  }
  if (bad == 0) return;
  findings.push_back({"amp_detector",
                      fmt::format("{} eligible to use tensor cores but none are using FP16",
                                  bad == 1 ? "1 op was" : fmt::format("{} ops were", bad)),
                      "Try enabling AMP (Automatic Mixed Precision). For more information: "
                      "https://developer.nvidia.com/automatic-mixed-precision",
                      "ShowBadDataTypeOps", ""});
}

struct NamedShare {
  std::string_view name, hint;
  double percent;
};

// The non-GPU category that takes most of the time, in DLProf's words. No database or log in public
// names I/O.
NamedShare largest_host_share(const Aggregation& a) {
  constexpr std::string_view kInputPipeline =
      "Investigate the dataloading pipeline as this often indicates too much time is being spent "
      "here";
  const NamedShare shares[] = {
      {"CPU", "Consider swapping ops that are running on the CPU for equivalent GPU ops",
       a.share(Category::cpu)},
      {"Dataloader", kInputPipeline, a.share(Category::data_loader)},
      {"I/O", "Consider reading and writing files asynchronously or on faster storage",
       a.share(Category::io)},
      {"\"Other\"", kInputPipeline, a.share(Category::other)},
  };
  return *std::max_element(std::begin(shares), std::end(shares),
                           [](const auto& x, const auto& y) { return x.percent < y.percent; });
}

void detect_underutilized_gpu(const Evidence& e, Findings& findings) {
  const Aggregation& a = e.aggregation;
  const bool knows_kernels = !e.profile.trace || e.profile.kernels.size() > 0;
  if (a.devices.empty() || !knows_kernels) return;
  std::string idle;
  for (const DeviceAggregate& device : a.devices) {
    if (device.kernel_union_ns > 0) continue;
    idle +=
        fmt::format("{}{}", idle.empty() ? "" : " ", e.profile.devices[device.device].device_id);
  }
  if (!idle.empty()) {
    findings.push_back({"underutilized_gpu_detector", fmt::format("{}{}", kUnusedGpus, idle),
                        "Make sure to pass the necessary options to docker, the framework, and the "
                        "model to use all available GPUs",
                        "", ""});
    return;
  }
  if (a.gpu_utilization() >= e.thresholds.gpu_utilization) return;
  const NamedShare largest = largest_host_share(a);
  findings.push_back(
      {"underutilized_gpu_detector",
       fmt::format("The GPU is underutilized: Only {:.1f}% of the profiled time is spent on GPU "
                   "kernel operations",
                   a.gpu_utilization()),
       fmt::format("{} has the highest (non-GPU) usage at {:.1f}%. {}", largest.name,
                   largest.percent, largest.hint),
       "", ""});
}

void detect_data_loader(const Evidence& e, Findings& findings) {
  if (e.runs("pytorch") && !e.has_op_type_with("DALI") && !e.has_op_type_with("dali")) {
    findings.push_back(
        {"dataloader_detector", std::string(kNoDali), std::string(kUseDali), "", ""});
  }
  const double percent = e.aggregation.share(Category::data_loader);
  if (percent < e.thresholds.data_loader || percent == 0) return;
  findings.push_back(
      {"dataloader_detector",
       fmt::format("{:.1f}% of the aggregated run was spent in the dataloader while not "
                   "simultaneously running on the GPU",
                   percent),
       fmt::format("Focus on reducing time spent in the training data input process. This could be "
                   "time spent in file reading, preprocessing and augmentation or file "
                   "transfer.\n{}",
                   kUseDali),
       "", ""});
}

void detect_missing_iterations(const Evidence& e, Findings& findings) {
  if (e.aggregation.iteration_table->iterations.key_instances > 0) return;
  findings.push_back({"no_iterations_detector",
                      fmt::format("Unable to split profile into training iterations: key op {} "
                                  "not found",
                                  e.aggregation.selection.cut.key_op),
                      fmt::format("Specify key op by setting the {} argument",
                                  e.profile.trace ? "--key-op" : "--key_op"),
                      "", ""});
}

void detect_variation(const Evidence& e, Findings& findings) {
  if (100 * iteration_variation(e.aggregation) <= e.thresholds.iteration_variation) return;
  const IterationRange range = e.aggregation.selection.range;
  const auto steady = steady_range(e.aggregation.iteration_table->iterations);
  Advice advice{
      "iteration_variation_detector",
      fmt::format("The aggregated iteration range of {} to {} contains a lot of variation",
                  range.first, range.last),
      "Look at the longest iterations, or choose a narrower range", "ShowIterations", ""};
  if (steady && *steady != range) {
    advice.recommendation = fmt::format(
        "Try limiting the iteration range to a steady range by {}",
        e.profile.trace
            ? fmt::format("setting --iterations {}:{}", steady->first, steady->last)
            : fmt::format("rerunning with the --database option and setting --iter_start={} "
                          "--iter_stop={}",
                          steady->first, steady->last));
    advice.action_arguments = fmt::format("{}:{}", steady->first, steady->last);
  }
  findings.push_back(std::move(advice));
}

void detect_cudnn_benchmark(const Evidence& e, Findings& findings) {
  const auto& config = e.profile.system.model_config;
  if (!config || !config->cudnn_benchmark_disabled || !e.has_op_type_with("conv")) return;
  findings.push_back(
      {"cudnn_benchmark_detector",
       "Convolution operations were detected but torch.backends.cudnn.benchmark was not enabled.",
       "Try setting torch.backends.cudnn.benchmark = True in your network. For best performance, "
       "the input shapes should be relatively stable.",
       "", ""});
}

// The factor by which the batch can grow: DLProf suggests 4x at 2, 7 and 23% (formats.md 7).
int batch_factor(double used_fraction) {
  if (used_fraction <= 0.25) return 4;
  return 2;
}

// A threshold above 50% finds GPUs that have no room for twice as much.
std::string larger_batch(double used_fraction) {
  const int factor = batch_factor(used_fraction);
  if (used_fraction * factor > 1) return "Try a larger batch size to increase data throughput";
  return fmt::format("Try increasing batch size by {}x to increase data throughput", factor);
}

void detect_small_batch(const Evidence& e, Findings& findings) {
  const std::optional<double> used = used_memory_percent(e.profile);
  if (!used || *used >= e.thresholds.gpu_memory) return;
  findings.push_back({"batch_size_detector",
                      fmt::format("GPU Memory is underutilized: Only {:.0f}% of GPU Memory is used",
                                  std::floor(*used)),
                      larger_batch(*used / 100), "", ""});
}

void detect_debug_switches(const Evidence& e, Findings& findings) {
  const auto& config = e.profile.system.model_config;
  if (!config) return;
  const std::pair<bool, std::string_view> switches[] = {
      {config->detect_anomaly, "torch.autograd.detect_anomaly"},
      {config->autograd_set_detect_anomaly, "torch.autograd.set_detect_anomaly"},
      {config->gradcheck, "torch.autograd.gradcheck"},
      {config->gradgradcheck, "torch.autograd.gradgradcheck"},
      {config->autograd_profile, "torch.autograd.profiler.profile"}};
  for (const auto& [on, name] : switches) {
    if (!on) continue;
    findings.push_back({"configuration_detector", fmt::format("{} is switched on", name),
                        "Switch it off outside debugging: it slows every iteration down", "", ""});
  }
}

}  // namespace

std::vector<Advice> advise(const Profile& profile, const Aggregation& aggregation,
                           const AdviceThresholds& thresholds) {
  const Evidence evidence{profile, aggregation, thresholds};
  Findings findings;
  // The order of formats.md 7.
  for (const auto detect :
       {detect_missing_fusion, detect_missing_half_precision, detect_underutilized_gpu,
        detect_data_loader, detect_missing_iterations, detect_variation, detect_cudnn_benchmark,
        detect_small_batch, detect_debug_switches}) {
    detect(evidence, findings);
  }
  return findings;
}

double iteration_variation(const Aggregation& aggregation) {
  const std::vector<int64_t> durations = sorted_durations(aggregation);
  const int64_t median = percentile(durations, 0.5);
  if (durations.size() < 2 || median == 0) return 0;
  return static_cast<double>(percentile(durations, 0.95) - percentile(durations, 0.05)) /
         static_cast<double>(median);
}

std::optional<double> used_memory_percent(const Profile& profile) {
  std::optional<double> largest;
  for (const profile::Device& device : profile.devices) {
    const int64_t total = device.memory_total_bytes.value_or(0);
    if (total <= 0 || !device.memory_used_bytes) continue;
    const double used = static_cast<double>(*device.memory_used_bytes) / static_cast<double>(total);
    largest = std::max(largest.value_or(0), 100 * used);
  }
  return largest;
}

std::vector<std::string_view> thresholds_of(const Advice& advice) {
  if (advice.problem == kNoDali || advice.problem.starts_with(kUnusedGpus)) return {};
  constexpr std::pair<std::string_view, std::string_view> kThresholds[] = {
      {"underutilized_gpu_detector", "gpu_utilization"},
      {"batch_size_detector", "gpu_memory"},
      {"dataloader_detector", "data_loader"},
      {"iteration_variation_detector", "iteration_variation"}};
  for (const auto& [detector, threshold] : kThresholds) {
    if (advice.detector == detector) return {threshold};
  }
  return {};
}

}  // namespace dlview::aggregate
