#include "aggregate/instance_times.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "base/parallel.h"

namespace dlview::aggregate {
namespace {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

// Sum of stop - start over rows [first[i], first[i + 1]).
template <typename Events>
int64_t api_ns(const Events& events, const profile::Column<Row>& first, InstanceIndex i) {
  int64_t sum_ns = 0;
  for (Row event = first[i]; event < first[i + 1]; ++event) {
    sum_ns += events.api_stop_ns[event] - events.api_start_ns[event];
  }
  return sum_ns;
}

KernelTotals totals_of(const Profile& profile, KernelIndex kernel) {
  const auto& kernels = profile.kernels;
  const int64_t gpu_ns = kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel];
  const bool tensor_core = kernels.uses_tensor_cores[kernel] != 0;
  return {1, tensor_core ? 1 : 0, gpu_ns, tensor_core ? gpu_ns : 0};
}

}  // namespace

// Union and idle time of events_, per device and summed.
void InstanceTimer::add_gpu_times(InstanceTimes& times) {
  std::sort(events_.begin(), events_.end(), [](const GpuEvent& a, const GpuEvent& b) {
    return std::tie(a.device, a.start_ns) < std::tie(b.device, b.start_ns);
  });
  for (std::size_t i = 0; i < events_.size();) {
    const DeviceIndex device = events_[i].device;
    int64_t covered_ns = events_[i].start_ns;  // everything before is accounted for
    for (; i < events_.size() && events_[i].device == device; ++i) {
      times.idle += std::max<int64_t>(events_[i].start_ns - covered_ns, 0);
      const int64_t start_ns = std::max(events_[i].start_ns, covered_ns);
      times.gpu += std::max<int64_t>(events_[i].stop_ns - start_ns, 0);
      covered_ns = std::max(start_ns, events_[i].stop_ns);
    }
  }
}

InstanceTimes InstanceTimer::host_times(InstanceIndex i) const {
  const auto& instances = profile_->instances;
  InstanceTimes times;
  times.cpu = instances.cpu_stop_ns[i] - instances.cpu_start_ns[i];
  times.api = api_ns(profile_->kernels, instances.first_kernel, i) +
              api_ns(profile_->memory_ops, instances.first_memory_op, i) +
              api_ns(profile_->syncs, instances.first_sync, i) +
              api_ns(profile_->api_calls, instances.first_api_call, i);
  times.overhead = times.cpu - times.api;
  return times;
}

InstanceTimes InstanceTimer::times_of(InstanceIndex i) {
  const auto& [instances, kernels, memory_ops] =
      std::tie(profile_->instances, profile_->kernels, profile_->memory_ops);
  InstanceTimes times = host_times(i);
  events_.clear();
  for (KernelIndex k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
    events_.push_back(
        {profile_->device_of_kernel(k), kernels.gpu_start_ns[k], kernels.gpu_stop_ns[k]});
  }
  for (MemoryOpIndex m = instances.first_memory_op[i]; m < instances.first_memory_op[i + 1]; ++m) {
    events_.push_back(
        {memory_ops.device[m], memory_ops.gpu_start_ns[m], memory_ops.gpu_stop_ns[m]});
  }
  add_gpu_times(times);
  return times;
}

// What passes, clipped to the window.
void InstanceTimer::collect(InstanceIndex i, const RowFilter& filter, const TimeWindow& window) {
  const auto& [instances, kernels, memory_ops] =
      std::tie(profile_->instances, profile_->kernels, profile_->memory_ops);
  const auto add = [&](DeviceIndex device, int64_t start_ns, int64_t stop_ns) {
    if (!RowFilter::touches(window, start_ns, stop_ns)) return;
    events_.push_back(
        {device, std::max(start_ns, window.start_ns), std::min(stop_ns, window.stop_ns)});
  };
  events_.clear();
  for (KernelIndex k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
    if (!filter.passes_kernel(k)) continue;
    add(profile_->device_of_kernel(k), kernels.gpu_start_ns[k], kernels.gpu_stop_ns[k]);
  }
  for (MemoryOpIndex m = instances.first_memory_op[i]; m < instances.first_memory_op[i + 1]; ++m) {
    if (!filter.passes_memory_op(m)) continue;
    add(memory_ops.device[m], memory_ops.gpu_start_ns[m], memory_ops.gpu_stop_ns[m]);
  }
}

// From the first to the last time of what the instance did on GPUs; ends before it begins where
// that is nothing.
TimeWindow InstanceTimer::span_of_events(InstanceIndex i) const {
  TimeWindow span{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  const auto widen = [&span](const auto& events, Row event, Row end) {
    for (; event < end; ++event) {
      const auto [first_ns, last_ns] =
          std::minmax(events.gpu_start_ns[event], events.gpu_stop_ns[event]);
      span = {std::min(span.start_ns, first_ns), std::max(span.stop_ns, last_ns)};
    }
  };
  const auto& instances = profile_->instances;
  widen(profile_->kernels, instances.first_kernel[i], instances.first_kernel[i + 1]);
  widen(profile_->memory_ops, instances.first_memory_op[i], instances.first_memory_op[i + 1]);
  return span;
}

InstanceTimes InstanceTimer::times_of(InstanceIndex i, const RowFilter& filter) {
  InstanceTimes times = host_times(i);
  const TimeWindow span = span_of_events(i);
  const auto& windows = filter.windows();
  for (auto window = filter.window_from(span.start_ns);
       window != windows.end() && window->start_ns <= span.stop_ns; ++window) {
    collect(i, filter, *window);
    add_gpu_times(times);
  }
  return times;
}

base::UntouchedVector<InstanceTimes> instance_times(const Profile& profile) {
  base::UntouchedVector<InstanceTimes> times(profile.instances.size());
  base::parallel_for(times.size(), 4096, [&](std::size_t begin, std::size_t end) {
    InstanceTimer timer(profile);
    for (InstanceIndex i(static_cast<Row>(begin)); i < end; ++i) times[i] = timer.times_of(i);
  });
  return times;
}

KernelRows kernels_of(const Profile& profile, const Iteration& iteration) {
  const auto& first_kernel = profile.instances.first_kernel;
  return {first_kernel[iteration.first_instance], first_kernel[iteration.last_instance]};
}

std::vector<OpKernels> kernels_by_op(const Profile& profile, const Iteration& iteration,
                                     const RowFilter* filter) {
  const auto& instances = profile.instances;
  std::unordered_map<Row, KernelTotals> totals;
  for (InstanceIndex i = iteration.first_instance; i < iteration.last_instance; ++i) {
    KernelTotals of_instance;
    for (KernelIndex k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      if (filter == nullptr || filter->counts_kernel(k)) of_instance += totals_of(profile, k);
    }
    if (of_instance.count > 0) totals[instances.op[i]] += of_instance;
  }
  std::vector<OpKernels> by_op;
  by_op.reserve(totals.size());
  for (const auto& [op, kernels] : totals) by_op.push_back({OpIndex(op), kernels});
  std::ranges::sort(by_op, {}, &OpKernels::op);
  return by_op;
}

}  // namespace dlview::aggregate
