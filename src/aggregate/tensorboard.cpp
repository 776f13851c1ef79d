#include "aggregate/tensorboard.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "aggregate/stats.h"
#include "aggregate/step_names.h"
#include "base/intervals.h"
#include "base/units.h"
#include "profile/data_loading.h"
#include "profile/recorded_work.h"
#include "profile/tensor_core_rules.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::kNoValue;
using profile::ThreadId;
using std::string_view;
using Categories = std::array<IntervalSet, kTensorBoardCategories>;

constexpr auto kTensorCoreParts = std::to_array<string_view>({
    "h884",
    "s884",
    "h1688",
    "s1688",
    "hmma",
    "i8816",
    "16816",
    "c1688",
    "dgrad_1x1_stride_2x2",
    "first_layer_wgrad_kernel",
    "conv1x1",
    "conv2d_c1_k1",
    "direct_group",
    "xmma_implicit_gemm",
    "xmma_sparse_conv",
    "xmma_warp_specialized_implicit_gemm",
    "xmma_gemm",
    "xmma_sparse_gemm",
});

bool is_communication(string_view name) {
  const std::size_t colon = name.find(':');
  const string_view library = name.substr(0, colon);
  if (colon == string_view::npos || (library != "nccl" && library != "gloo")) return false;
  constexpr auto kNames = std::to_array<string_view>(
      {"broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter"});
  return std::ranges::find(kNames, name.substr(colon + 1)) != kNames.end();
}

Interval time_of(const profile::GpuWork& work, std::size_t row) {
  return {work.start_ns[row], work.end_ns[row]};
}

// What the names of host events say about them.
struct HostRanges {
  std::vector<std::pair<Interval, string_view>> steps;  // and their names
  std::vector<Interval> ops, loading, communication;
  std::map<ThreadId, std::vector<Interval>> communication_of_thread;
  bool has_data_parallel = false, has_distributed = false;
};

HostRanges read_host(const profile::Profile& profile) {
  enum class Kind : uint8_t { other, step, loading, communication, data_parallel, distributed };
  HostRanges result;
  std::unordered_map<profile::StringId, Kind> kinds;
  const profile::TraceNvtx& ranges = profile.trace->nvtx;
  for (std::size_t row = 0; row < ranges.size(); ++row) {
    const profile::StringId text = ranges.text[row];
    if (text == profile::kNoText || ranges.end_ns[row] == kNoValue) continue;
    const auto [known, is_new] = kinds.try_emplace(text, Kind::other);
    if (is_new) {
      const string_view name = profile.text(text);
      known->second = name.starts_with(kProfilerStep)                       ? Kind::step
                      : profile::is_data_loader_range(name)                 ? Kind::loading
                      : is_communication(name)                              ? Kind::communication
                      : name.starts_with("DataParallel.forward")            ? Kind::data_parallel
                      : name.starts_with("DistributedDataParallel.forward") ? Kind::distributed
                                                                            : Kind::other;
    }
    const Interval time{ranges.start_ns[row], ranges.end_ns[row]};
    const bool is_op =
        row < ranges.event_kind.size() && ranges.event_kind[row] == profile::HostEventKind::op;
    result.has_data_parallel |= known->second == Kind::data_parallel;
    result.has_distributed |= known->second == Kind::distributed;
    if (known->second == Kind::step) {
      result.steps.emplace_back(time, profile.text(text).substr(kProfilerStep.size()));
    } else if (known->second == Kind::loading) {
      result.loading.push_back(time);
    } else if (known->second == Kind::communication) {
      result.communication.push_back(time);
      result.communication_of_thread[ranges.thread[row]].push_back(time);
    } else if (is_op) {
      result.ops.push_back(time);
    }
  }
  std::ranges::stable_sort(result.steps, {}, [](const auto& step) { return step.first.start_ns; });
  return result;
}

// Calls by process and correlation; the first of several.
class CallsByCorrelation {
 public:
  explicit CallsByCorrelation(const profile::TraceApiCalls& calls) : calls_(calls) {
    for (std::size_t row = 0; row < calls.size(); ++row) {
      const int64_t correlation = calls.correlation[row];
      if (correlation == kNoValue || correlation == 0) continue;
      rows_.emplace_back(profile::process_of(calls.thread[row]), correlation, row);
    }
    std::ranges::sort(rows_);
  }
  std::optional<std::size_t> of(const profile::GpuWork& work, std::size_t row) const {
    const Entry first{work.process[row], work.correlation[row], 0};
    const auto found = std::ranges::lower_bound(rows_, first);
    if (found == rows_.end() || std::get<0>(*found) != std::get<0>(first) ||
        std::get<1>(*found) != std::get<1>(first)) {
      return std::nullopt;
    }
    return std::get<2>(*found);
  }
  Interval time(std::size_t row) const { return {calls_.start_ns[row], calls_.end_ns[row]}; }
  ThreadId thread(std::size_t row) const { return calls_.thread[row]; }
  // Those of the runtime.
  std::vector<Interval> runtime() const {
    std::vector<Interval> times;
    for (std::size_t row = 0; row < calls_.size(); ++row) {
      const bool is_driver =
          row < calls_.layer.size() && calls_.layer[row] == profile::ApiLayer::driver;
      if (!is_driver) times.push_back(time(row));
    }
    return times;
  }

 private:
  using Entry = std::tuple<ThreadId, int64_t, std::size_t>;  // process, correlation, row
  const profile::TraceApiCalls& calls_;
  std::vector<Entry> rows_;
};

// Calls use(work, row) for each kernel, memcpy and memset.
template <typename Use>
void for_each_activity(const profile::Trace& trace, const Use& use) {
  for (const profile::GpuWork* work : {static_cast<const profile::GpuWork*>(&trace.kernels),
                                       static_cast<const profile::GpuWork*>(&trace.memcpys),
                                       static_cast<const profile::GpuWork*>(&trace.memsets)}) {
    for (std::size_t row = 0; row < work->size(); ++row) use(*work, row);
  }
}

// The ranges of the steps, or one for all host events.
std::vector<TensorBoardStep> steps_on_host(const profile::Profile& profile,
                                           const HostRanges& host) {
  std::vector<TensorBoardStep> steps;
  for (const auto& [time, name] : host.steps) {
    steps.push_back({std::string(name), time.start_ns, time.stop_ns, {}});
  }
  if (!steps.empty()) return steps;
  std::optional<Interval> all;
  const auto add = [&all](const auto& events) {
    for (std::size_t row = 0; row < events.size(); ++row) {
      if (events.end_ns[row] == kNoValue) continue;
      if (!all) all = Interval{events.start_ns[row], events.end_ns[row]};
      all->start_ns = std::min(all->start_ns, events.start_ns[row]);
      all->stop_ns = std::max(all->stop_ns, events.end_ns[row]);
    }
  };
  add(profile.trace->nvtx);
  add(profile.trace->api_calls);
  if (all) steps.push_back({"0", all->start_ns, all->stop_ns, {}});
  return steps;
}

// Moves steps to the GPU: a step lasts until the end of the last activity of calls that lie wholly
// in it, and begins no earlier than the one before ends. Steps at the end go that have no activity,
// or less than 80% of that of the one before.
void move_to_gpu(const profile::Trace& trace, const CallsByCorrelation& calls,
                 std::vector<TensorBoardStep>& steps) {
  std::vector<std::optional<int64_t>> last_gpu_ns(steps.size());
  std::vector<int64_t> activities(steps.size());
  for_each_activity(trace, [&](const profile::GpuWork& work, std::size_t row) {
    const auto call = calls.of(work, row);
    if (!call) return;
    const Interval time = calls.time(*call);
    // Steps do not overlap but by a nanosecond or so.
    auto step = std::ranges::upper_bound(steps, time.start_ns, {}, &TensorBoardStep::start_ns);
    if (step == steps.begin()) return;
    --step;
    if (time.stop_ns > step->stop_ns) return;
    const auto index = static_cast<std::size_t>(step - steps.begin());
    ++activities[index];
    last_gpu_ns[index] = std::max(last_gpu_ns[index].value_or(INT64_MIN), work.end_ns[row]);
  });
  std::optional<int64_t> before;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (before) steps[i].start_ns = std::max(steps[i].start_ns, *before);
    if (last_gpu_ns[i]) steps[i].stop_ns = std::max(steps[i].stop_ns, *last_gpu_ns[i]);
    steps[i].stop_ns = std::max(steps[i].stop_ns, steps[i].start_ns);
    before = steps[i].stop_ns;
  }
  if (std::ranges::all_of(activities, [](int64_t count) { return count == 0; })) return;
  std::size_t kept = steps.size();
  while (activities[kept - 1] == 0) --kept;
  if (kept > 1 && activities[kept - 1] * 10 < activities[kept - 2] * 8) --kept;
  steps.resize(kept);
}

Categories categories_of(const profile::Trace& trace, const CallsByCorrelation& calls,
                         const HostRanges& host) {
  std::map<ThreadId, IntervalSet> communicating;
  for (const auto& [thread, times] : host.communication_of_thread) {
    communicating.emplace(thread, IntervalSet::union_of(times));
  }
  std::vector<Interval> kernels, communication = host.communication;
  const profile::TraceKernels& all = trace.kernels;
  for (std::size_t row = 0; row < all.size(); ++row) {
    bool communicates = false;
    if (const auto call = calls.of(all, row); call && !communicating.empty()) {
      const auto ranges = communicating.find(calls.thread(*call));
      const int64_t at = calls.time(*call).start_ns;
      communicates = ranges != communicating.end() && ranges->second.covered_ns(at, at + 1) > 0;
    }
    (communicates ? communication : kernels).push_back(time_of(all, row));
  }
  const auto times_of = [](const profile::GpuWork& work) {
    std::vector<Interval> times;
    for (std::size_t row = 0; row < work.size(); ++row) times.push_back(time_of(work, row));
    return times;
  };
  return {IntervalSet::union_of(std::move(kernels)),
          IntervalSet::union_of(times_of(trace.memcpys)),
          IntervalSet::union_of(times_of(trace.memsets)),
          IntervalSet::union_of(std::move(communication)),
          IntervalSet::union_of(calls.runtime()),
          IntervalSet::union_of(host.loading),
          IntervalSet::union_of(host.ops),
          {}};
}

void add_breakdown(const Categories& categories, std::vector<TensorBoardStep>& steps) {
  IntervalSet before;
  const auto covered = [](const IntervalSet& set, const TensorBoardStep& step) {
    return set.covered_ns(step.start_ns, step.stop_ns);
  };
  for (std::size_t i = 0; i < kTensorBoardCategories; ++i) {
    const bool is_rest = i + 1 == kTensorBoardCategories;
    const IntervalSet with = is_rest ? IntervalSet() : before.united_with(categories[i]);
    for (TensorBoardStep& step : steps) {
      const int64_t up_to = is_rest ? step.duration_ns() : covered(with, step);
      step.time_ns[i] = up_to - covered(before, step);
    }
    if (!is_rest) before = with;
  }
}

// The time for which kernels run, times their blocks per SM, at most 1 at a time; in millionths.
double sm_time(std::vector<std::pair<int64_t, int64_t>> changes) {
  __extension__ using Wide = __int128;
  constexpr int64_t kWhole = 1'000'000;
  std::ranges::sort(changes);
  Wide sum = 0, blocks = 0;
  int64_t since = 0;
  for (const auto& [time_ns, change] : changes) {
    sum += std::min(blocks, Wide{kWhole}) * (time_ns - since);
    blocks += change;
    since = time_ns;
  }
  return static_cast<double>(sum) / static_cast<double>(kWhole);
}

double share_percent(double part, int64_t whole) {
  return whole <= 0 ? 0 : 100 * part / static_cast<double>(whole);
}

void add_gpus(const profile::Trace& trace, TensorBoardOverview& overview) {
  struct Gpu {
    std::vector<Interval> busy;
    std::vector<std::pair<int64_t, int64_t>> changes;  // time, blocks per SM in millionths
    WeightedMean occupancy;
  };
  const int64_t first = overview.steps.front().start_ns, last = overview.steps.back().stop_ns;
  std::map<int64_t, Gpu> gpus;
  const profile::TraceKernels& kernels = trace.kernels;
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    Interval time = time_of(kernels, row);
    time = {std::max(time.start_ns, first), std::min(time.stop_ns, last)};
    if (kernels.device_id[row] < 0) continue;  // not recorded
    Gpu& gpu = gpus[kernels.device_id[row]];
    const int64_t ns = time.stop_ns - time.start_ns;
    if (ns <= 0) continue;
    gpu.busy.push_back(time);
    if (row < kernels.blocks_per_sm_millionths.size() &&
        kernels.blocks_per_sm_millionths[row] != kNoValue) {
      gpu.changes.emplace_back(time.start_ns, kernels.blocks_per_sm_millionths[row]);
      gpu.changes.emplace_back(time.stop_ns, -kernels.blocks_per_sm_millionths[row]);
    }
    if (row < kernels.occupancy_percent.size() && kernels.occupancy_percent[row] >= 0) {
      gpu.occupancy.add(kernels.occupancy_percent[row], ns);
    }
  }
  for (auto& [device, gpu] : gpus) {
    TensorBoardGpu made{.device_id = device,
                        .busy_ns = IntervalSet::union_of(std::move(gpu.busy)).total_ns(),
                        .sm_efficiency_percent = std::nullopt,
                        .occupancy_percent = gpu.occupancy.mean()};
    if (!gpu.changes.empty()) {
      made.sm_efficiency_percent =
          share_percent(sm_time(std::move(gpu.changes)), overview.span_ns());
    }
    overview.gpus.push_back(made);
  }
}

void add_tensor_cores(const profile::Profile& profile, TensorBoardOverview& overview) {
  const int64_t first = overview.steps.front().start_ns, last = overview.steps.back().stop_ns;
  std::unordered_map<profile::StringId, bool> uses;
  const profile::TraceKernels& kernels = profile.trace->kernels;
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const int64_t ns = std::min(kernels.end_ns[row], last) - std::max(kernels.start_ns[row], first);
    if (ns <= 0) continue;
    overview.kernel_ns += ns;
    const auto [known, is_new] = uses.try_emplace(kernels.demangled_name[row], false);
    if (is_new) {
      known->second = is_tensor_core_kernel_for_tensorboard(profile.text(known->first));
    }
    if (known->second) overview.tensor_core_ns += ns;
  }
}

bool has_eligible_kernels(const profile::Profile& profile) {
  for (const profile::Row instance : profile.kernels.instance) {
    if (profile.is_eligible(profile.instances.op[profile::InstanceIndex(instance)])) return true;
  }
  return false;
}

void add_recommendations(const profile::Profile& profile, const HostRanges& host,
                         TensorBoardOverview& overview) {
  const auto add = [&overview](std::string text) {
    overview.recommendations.push_back(std::move(text));
  };
  const double step_ns = overview.average_step_ns();
  const auto share = [&](TensorBoardCategory category) {
    return step_ns <= 0 ? 0 : 100 * overview.average_ns(category) / step_ns;
  };
  const double loading = share(TensorBoardCategory::data_loader);
  const double communication = share(TensorBoardCategory::communication);
  if (loading > 5) {
    add(fmt::format("The data loader takes {} of the step time (above 5%)",
                    base::format_percent(loading)));
  }
  if (communication > 10) {
    add(fmt::format("Communication takes {} of the step time (above 10%)",
                    base::format_percent(communication)));
  }
  for (const TensorBoardGpu& gpu : overview.gpus) {
    const double busy = share_percent(static_cast<double>(gpu.busy_ns), overview.span_ns());
    if (busy < 50) {
      add(fmt::format("GPU {} has a utilization of {} (below 50%)", gpu.device_id,
                      base::format_percent(busy)));
    }
  }
  const bool has_tensor_cores =
      std::ranges::any_of(profile.devices, [](const profile::Device& device) {
        return device.vendor == profile::Vendor::nvidia &&
               device.compute_capability() >= profile::kFirstTensorCores;
      });
  if (has_tensor_cores && overview.tensor_core_ns == 0 && has_eligible_kernels(profile)) {
    add("No kernel uses Tensor Cores, but ops are eligible");
  }
  for (const profile::TraceGpu& gpu : profile.trace->gpus) {
    if (!gpu.memory_bytes || *gpu.memory_bytes <= 0 || !gpu.memory_allocated_bytes) continue;
    const double used =
        share_percent(static_cast<double>(*gpu.memory_allocated_bytes), *gpu.memory_bytes);
    if (used > 90) {
      add(fmt::format("GPU {} has up to {} of its memory allocated (above 90%)", gpu.id,
                      base::format_percent(used)));
    }
  }
  if (host.has_data_parallel && overview.gpus.size() > 1) {
    add("DataParallel runs on several GPUs; DistributedDataParallel is faster");
  }
  const std::string& backend = profile.trace->capture.backend;
  if (host.has_distributed && !backend.empty() && backend.find("nccl") == std::string::npos) {
    add(fmt::format("DistributedDataParallel uses the backend \"{}\"; NCCL is faster", backend));
  }
}

}  // namespace

string_view to_text(TensorBoardCategory category) {
  constexpr std::array<string_view, kTensorBoardCategories> kTexts{
      "Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec", "Other"};
  return kTexts[static_cast<std::size_t>(category)];
}

double TensorBoardOverview::average_step_ns() const {
  int64_t sum = 0;
  for (const TensorBoardStep& step : steps) sum += step.duration_ns();
  return steps.empty() ? 0 : static_cast<double>(sum) / static_cast<double>(steps.size());
}

double TensorBoardOverview::average_ns(TensorBoardCategory category) const {
  int64_t sum = 0;
  for (const TensorBoardStep& step : steps) {
    sum += step.time_ns[static_cast<std::size_t>(category)];
  }
  return steps.empty() ? 0 : static_cast<double>(sum) / static_cast<double>(steps.size());
}

bool is_tensor_core_kernel_for_tensorboard(string_view name) {
  return std::ranges::any_of(
      kTensorCoreParts, [name](string_view part) { return name.find(part) != string_view::npos; });
}

TensorBoardOverview tensorboard_overview(const profile::Profile& profile) {
  TensorBoardOverview overview;
  if (!profile.trace) return overview;
  const profile::Trace& trace = *profile.trace;
  const HostRanges host = read_host(profile);
  const CallsByCorrelation calls(trace.api_calls);
  overview.steps = steps_on_host(profile, host);
  if (overview.steps.empty()) return overview;
  move_to_gpu(trace, calls, overview.steps);
  add_breakdown(categories_of(trace, calls, host), overview.steps);
  add_gpus(trace, overview);
  add_tensor_cores(profile, overview);
  add_recommendations(profile, host, overview);
  return overview;
}

}  // namespace dlview::aggregate
