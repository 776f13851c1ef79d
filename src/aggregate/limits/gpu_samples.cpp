#include "aggregate/limits/gpu_samples.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "aggregate/row_filter.h"
#include "base/parallel.h"
#include "base/parallel_algorithms.h"
#include "base/units.h"

namespace dlview::aggregate {
namespace {

using profile::DeviceIndex;
using profile::GpuMetric;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::kNoRow;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

base::Interval time_of_kernel(const Profile& profile, KernelIndex kernel) {
  return {profile.kernels.gpu_start_ns[kernel], profile.kernels.gpu_stop_ns[kernel]};
}

int64_t process_of_kernel(const Profile& profile, KernelIndex kernel) {
  return profile.threads[profile.launches.thread[profile.kernels.launch[kernel]]].process_id;
}

// The device that is this GPU; kNoRow = none, or it did no work.
DeviceIndex device_of(const Profile& profile, int64_t gpu) {
  for (DeviceIndex device{0}; device < profile.devices.size(); ++device) {
    if (profile.devices[device].source_id == gpu) return device;
  }
  return {};
}

bool by_time(const SampledRow& a, const SampledRow& b) {
  return std::tuple(-a.time_ns, a.kernel, a.op) < std::tuple(-b.time_ns, b.kernel, b.op);
}

}  // namespace

std::optional<double> SampleMeans::dram() const {
  const auto read = of(GpuMetric::dram_read), write = of(GpuMetric::dram_write);
  if (!read || !write) return std::nullopt;
  return *read + *write;
}

std::optional<double> SampleMeans::math() const {
  const auto issue = of(GpuMetric::sm_issue), tensor = of(GpuMetric::tensor_active);
  const double busy_tensor = tensor.value_or(0) > kTensorNoisePercent ? *tensor : 0;
  return issue || tensor ? std::optional(std::max(issue.value_or(0), busy_tensor)) : std::nullopt;
}

Limit SampleMeans::limit(const LimitThresholds& thresholds) const {
  if (samples < kLeastSamplesOfVerdict) return Limit::unknown;
  const bool is_math = math().value_or(0) >= thresholds.utilization_percent;
  const bool is_memory = dram().value_or(0) >= thresholds.utilization_percent;
  if (is_math && is_memory) return Limit::both;
  return is_memory ? Limit::memory : is_math ? Limit::math : Limit::unknown;
}

std::string to_text(const KernelSamples& kernel) {
  const std::string copies = kernel.has_copies ? "; copies run at the same time" : "";
  switch (kernel.state) {
    case SampleState::none:
      return "Not sampled";
    case SampleState::other_kernels:
      return "Other kernels run at the same time; samples are of the whole GPU";
    case SampleState::other_process:
      return "Another process uses the GPU at the same time; samples are of the whole GPU";
    case SampleState::too_short:
      return fmt::format("Sampled every {}; this kernel lasts {}",
                         base::format_duration(kernel.period_ns),
                         base::format_duration(kernel.duration_ns));
    case SampleState::shown:
      return base::counted(kernel.samples.samples, "samples") + ", too few to name a limit" +
             copies;
    case SampleState::verdict:
      break;
  }
  return base::counted(kernel.samples.samples, "samples") + copies;
}

// Sums of samples by metric, of several stretches of time on any GPUs.
class GpuSamples::Sums {
 public:
  void add(const GpuSamples& all, DeviceIndex device, const base::Interval& time) {
    const DeviceWork& work = all.devices_[device];
    int64_t samples = 0;
    std::array<int64_t, kGpuMetrics> counts{};
    for (std::size_t i = work.first_metric; i < work.end_metric; ++i) {
      const SampledMetric& metric = all.metrics_[i];
      const SampleRange range = metric.curve.in(time);
      const auto count = static_cast<int64_t>(range.size());
      samples = std::max(samples, count);
      if (count == 0 || metric.metric == GpuMetric::other) continue;
      const auto place = static_cast<std::size_t>(metric.metric);
      sums_[place] += metric.curve.of(range).sum;
      counts[place] = std::max(counts[place], count);
    }
    for (std::size_t i = 0; i < kGpuMetrics; ++i) counts_[i] += counts[i];
    samples_ += samples;
  }
  SampleMeans means() const {
    SampleMeans means{samples_, {}};
    for (std::size_t i = 0; i < kGpuMetrics; ++i) {
      if (counts_[i] > 0) means.means[i] = sums_[i] / static_cast<double>(counts_[i]);
    }
    return means;
  }

 private:
  int64_t samples_ = 0;
  std::array<double, kGpuMetrics> sums_{};
  std::array<int64_t, kGpuMetrics> counts_{};
};

GpuSamples::GpuSamples(const Profile& profile)
    : profile_(profile), devices_(profile.devices.size()) {
  if (!has_gpu_metrics(profile)) return;
  const profile::TraceCounters& counters = profile.trace->counters;
  std::vector<std::size_t> series;
  for (std::size_t i = 0; i < counters.series.size(); ++i) {
    const profile::TraceCounters::Series& each = counters.series[i];
    if (each.kind == profile::CounterKind::sample && each.device) series.push_back(i);
  }
  std::ranges::stable_sort(series, {}, [&](std::size_t i) { return *counters.series[i].device; });
  metrics_.resize(series.size());
  base::parallel_for(series.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const profile::TraceCounters::Series& each = counters.series[series[i]];
      const std::size_t count = counters.end_of(series[i]) - each.first;
      metrics_[i] = {.series = series[i],
                     .name = each.counter,
                     .unit = each.unit,
                     .metric = profile::gpu_metric_of(each.counter),
                     .gpu = *each.device,
                     .device = device_of(profile, *each.device),
                     .curve = SampleCurve(counters.time_ns.span().subspan(each.first, count),
                                          counters.value.span().subspan(each.first, count))};
    }
  });
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (metrics_[i].device == kNoRow) continue;
    DeviceWork& work = devices_[metrics_[i].device];
    if (work.end_metric == 0) work.first_metric = i;
    work.end_metric = i + 1;
  }
  find_kernels();
}

void GpuSamples::find_kernels() {
  const profile::Kernels& kernels = profile_.kernels;
  has_other_kernels_.resize(kernels.size());
  for (KernelIndex kernel{0}; kernel < kernels.size(); ++kernel) {
    DeviceWork& work = devices_[profile_.device_of_kernel(kernel)];
    if (work.end_metric > 0) work.kernels.push_back(kernel);
  }
  for (DeviceWork& work : devices_) {
    base::parallel_sort(
        work.kernels.begin(), work.kernels.end(), [&kernels](KernelIndex a, KernelIndex b) {
          return std::pair(kernels.gpu_start_ns[a], a) < std::pair(kernels.gpu_start_ns[b], b);
        });
    // The latest stop so far, and whose it is.
    int64_t stop_ns = INT64_MIN;
    KernelIndex last;
    for (const KernelIndex kernel : work.kernels) {
      const base::Interval time = time_of_kernel(profile_, kernel);
      if (time.start_ns < stop_ns) has_other_kernels_[kernel] = has_other_kernels_[last] = 1;
      if (last != kNoRow && time.stop_ns <= stop_ns) continue;
      stop_ns = time.stop_ns;
      last = kernel;
    }
  }
  std::map<std::pair<DeviceIndex, int64_t>, std::vector<base::Interval>> copies;
  const profile::MemoryOps& ops = profile_.memory_ops;
  for (Row row = 0; row < ops.size(); ++row) {
    const profile::MemoryOpIndex op(row);
    copies[{ops.device[op], profile_.threads[ops.thread[op]].process_id}].push_back(
        {ops.gpu_start_ns[op], ops.gpu_stop_ns[op]});
  }
  for (auto& [owner, times] : copies) {
    std::ranges::sort(times, {}, &base::Interval::start_ns);
    DeviceWork::Copies& all = devices_[owner.first].copies.emplace_back();
    all.process_id = owner.second;
    int64_t latest_ns = INT64_MIN;
    for (const base::Interval& time : times) {
      latest_ns = std::max(latest_ns, time.stop_ns);
      all.start_ns.push_back(time.start_ns);
      all.latest_stop_ns.push_back(latest_ns);
    }
  }
}

bool GpuSamples::DeviceWork::Copies::overlap(const base::Interval& time) const {
  const auto behind = std::ranges::lower_bound(start_ns, time.stop_ns) - start_ns.begin();
  return behind > 0 && latest_stop_ns[static_cast<std::size_t>(behind - 1)] > time.start_ns;
}

bool GpuSamples::has_other_process(const DeviceWork& work, KernelIndex kernel,
                                   const base::Interval& time) const {
  const int64_t process_id = process_of_kernel(profile_, kernel);
  return std::ranges::any_of(work.copies, [&](const DeviceWork::Copies& copies) {
    return copies.process_id != process_id && copies.overlap(time);
  });
}

int64_t GpuSamples::period_ns(DeviceIndex device) const {
  const DeviceWork& work = devices_[device];
  return work.end_metric == 0 ? 0 : metrics_[work.first_metric].curve.period_ns();
}

SampleMeans GpuSamples::means(DeviceIndex device, const base::Interval& time) const {
  Sums sums;
  sums.add(*this, device, time);
  return sums.means();
}

KernelSamples GpuSamples::of_kernel(KernelIndex kernel) const {
  const DeviceIndex device = profile_.device_of_kernel(kernel);
  const DeviceWork& work = devices_[device];
  const base::Interval time = time_of_kernel(profile_, kernel);
  KernelSamples found;
  found.duration_ns = time.stop_ns - time.start_ns;
  found.period_ns = period_ns(device);
  if (work.end_metric == 0) return found;
  found.has_copies =
      std::ranges::any_of(work.copies, [&](const auto& copies) { return copies.overlap(time); });
  found.state = state_of(kernel);
  if (found.state >= SampleState::shown) found.samples = means(device, time);
  return found;
}

SampleState GpuSamples::state_of(KernelIndex kernel) const {
  const DeviceIndex device = profile_.device_of_kernel(kernel);
  const base::Interval time = time_of_kernel(profile_, kernel);
  if (devices_[device].end_metric == 0) return SampleState::none;
  if (has_other_kernels_[kernel] != 0) return SampleState::other_kernels;
  if (has_other_process(devices_[device], kernel, time)) return SampleState::other_process;
  const int64_t samples = samples_in(device, time);
  if (samples < kLeastSamples) return SampleState::too_short;
  return samples < kLeastSamplesOfVerdict ? SampleState::shown : SampleState::verdict;
}

int64_t GpuSamples::samples_in(DeviceIndex device, const base::Interval& time) const {
  return static_cast<int64_t>(metrics_[devices_[device].first_metric].curve.in(time).size());
}

std::vector<bool> GpuSamples::kernels_in(const Aggregation& aggregation) const {
  std::vector<bool> counts(profile_.kernels.size());
  const RowFilter filter(profile_, aggregation.selection.filters);
  const IterationRange range = aggregation.selection.range;
  const profile::OpInstances& instances = profile_.instances;
  for (int64_t number = range.first; number <= range.last; ++number) {
    const Iteration& iteration =
        aggregation.iteration_table->iterations.rows[static_cast<std::size_t>(number)];
    for (InstanceIndex i = iteration.first_instance; i < iteration.last_instance; ++i) {
      for (KernelIndex k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
        counts[k] = filter.counts_kernel(k);
      }
    }
  }
  return counts;
}

std::vector<SampledRow> GpuSamples::by_kernel(const Aggregation& aggregation) const {
  if (empty()) return {};
  const std::vector<bool> counts = kernels_in(aggregation);
  struct Named {
    SampledRow row;
    Sums sums;
  };
  std::map<profile::StringId, Named> of_names;
  for (KernelIndex kernel{0}; kernel < counts.size(); ++kernel) {
    if (!counts[kernel]) continue;
    Named& named = of_names[profile_.kernels.name[kernel]];
    const base::Interval time = time_of_kernel(profile_, kernel);
    ++named.row.launches;
    named.row.time_ns += time.stop_ns - time.start_ns;
    if (state_of(kernel) < SampleState::shown) continue;
    named.row.sampled_ns += time.stop_ns - time.start_ns;
    named.sums.add(*this, profile_.device_of_kernel(kernel), time);
  }
  std::vector<SampledRow> rows;
  for (auto& [name, named] : of_names) {
    named.row.kernel = name;
    named.row.samples = named.sums.means();
    rows.push_back(named.row);
  }
  std::ranges::sort(rows, by_time);
  return rows;
}

std::vector<SampledRow> GpuSamples::by_op(const Aggregation& aggregation) const {
  if (empty()) return {};
  const std::vector<bool> counts = kernels_in(aggregation);
  struct OfOp {
    SampledRow row;
    Sums sums;
  };
  std::map<OpIndex, OfOp> of_ops;
  const auto op_of = [this](KernelIndex kernel) {
    return profile_.instances.op[profile_.kernels.instance[kernel]];
  };
  for (KernelIndex kernel{0}; kernel < counts.size(); ++kernel) {
    if (!counts[kernel]) continue;
    SampledRow& row = of_ops[op_of(kernel)].row;
    const base::Interval time = time_of_kernel(profile_, kernel);
    ++row.launches;
    row.time_ns += time.stop_ns - time.start_ns;
  }
  for (DeviceIndex device{0}; device < devices_.size(); ++device) {
    const DeviceWork& work = devices_[device];
    if (work.end_metric == 0) continue;
    const int64_t period = period_ns(device);
    int64_t before_ns = INT64_MIN;  // the latest stop of what came before the stretch
    for (auto first = work.kernels.begin(); first != work.kernels.end();) {
      const OpIndex op = op_of(*first);
      base::Interval time = time_of_kernel(profile_, *first);
      int64_t kernel_ns = time.stop_ns - time.start_ns;
      bool is_counted = counts[*first];
      auto next = first + 1;
      for (; next != work.kernels.end() && op_of(*next) == op && counts[*next] == is_counted;
           ++next) {
        const base::Interval more = time_of_kernel(profile_, *next);
        if (more.start_ns - time.stop_ns > period) break;
        time.stop_ns = std::max(time.stop_ns, more.stop_ns);
        kernel_ns += more.stop_ns - more.start_ns;
      }
      const bool is_alone =
          before_ns <= time.start_ns &&
          (next == work.kernels.end() || profile_.kernels.gpu_start_ns[*next] >= time.stop_ns) &&
          !has_other_process(work, *first, time);
      if (is_counted && is_alone && samples_in(device, time) >= kLeastSamples) {
        OfOp& found = of_ops[op];
        found.row.sampled_ns += kernel_ns;
        found.sums.add(*this, device, time);
      }
      before_ns = std::max(before_ns, time.stop_ns);
      first = next;
    }
  }
  std::vector<SampledRow> rows;
  for (auto& [op, found] : of_ops) {
    found.row.op = op;
    found.row.samples = found.sums.means();
    rows.push_back(found.row);
  }
  std::ranges::sort(rows, by_time);
  return rows;
}

std::vector<SampledRow> GpuSamples::by_iteration(const Aggregation& aggregation) const {
  std::vector<SampledRow> rows;
  const IterationRange range = aggregation.selection.range;
  for (int64_t number = range.first; number <= range.last; ++number) {
    const Iteration& iteration =
        aggregation.iteration_table->iterations.rows[static_cast<std::size_t>(number)];
    for (DeviceIndex device{0}; device < devices_.size(); ++device) {
      if (devices_[device].end_metric == 0) continue;
      const base::Interval time{iteration.start_ns, iteration.stop_ns};
      SampledRow row;
      row.iteration = number;
      row.device = device;
      row.time_ns = iteration.duration_ns();
      row.samples = means(device, time);
      const DeviceWork& work = devices_[device];
      const SampleCurve& curve = metrics_[work.first_metric].curve;
      const SampleRange samples = curve.in(time);
      if (row.samples.is_shown() && samples.size() > 0) {
        // A sample is of the time since the one before.
        const int64_t first_ns = curve.time_ns(samples.first) - curve.period_ns();
        row.sampled_ns = curve.time_ns(samples.end - 1) - std::max(time.start_ns, first_ns);
      }
      rows.push_back(row);
    }
  }
  return rows;
}

bool has_gpu_metrics(const Profile& profile) {
  return profile.trace &&
         std::ranges::any_of(profile.trace->counters.series, [](const auto& series) {
           return series.kind == profile::CounterKind::sample && series.device.has_value();
         });
}

base::Interval sampled_time(const Aggregation& aggregation) {
  const std::vector<Iteration>& rows = aggregation.iteration_table->iterations.rows;
  const IterationRange range = aggregation.selection.range;
  if (range.first == 0 && range.last + 1 == std::ssize(rows)) return {INT64_MIN, INT64_MAX};
  return {rows[static_cast<std::size_t>(range.first)].start_ns,
          rows[static_cast<std::size_t>(range.last)].stop_ns};
}

}  // namespace dlview::aggregate
