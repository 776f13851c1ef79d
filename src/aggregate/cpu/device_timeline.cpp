#include "aggregate/cpu/device_timeline.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"

namespace dlview::aggregate::cpu {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::Profile;
using profile::Row;

std::vector<DeviceEvents> events_by_device(const Profile& profile,
                                           const std::vector<uint8_t>& communicates) {
  std::vector<DeviceEvents> events(profile.devices.size());
  const auto& kernels = profile.kernels;
  for (Row k = 0; k < kernels.size(); ++k) {
    DeviceEvents& device = events[profile.device_of_kernel(k)];
    auto& list =
        kernels.uses_tensor_cores[k] != 0 ? device.tensor_core_kernels : device.other_kernels;
    const Interval interval{kernels.gpu_start_ns[k], kernels.gpu_stop_ns[k]};
    list.push_back(interval);
    if (communicates.empty()) continue;
    (communicates[k] != 0 ? device.communication : device.computation).push_back(interval);
  }
  const auto& memory_ops = profile.memory_ops;
  for (Row m = 0; m < memory_ops.size(); ++m) {
    events[memory_ops.device[m]].memory.push_back(
        {memory_ops.gpu_start_ns[m], memory_ops.gpu_stop_ns[m]});
  }
  return events;
}

// Union of the op instances of all threads; of DataLoader ops only, or of all ops.
IntervalSet host_intervals(const Profile& profile, bool data_loader_only) {
  const auto& instances = profile.instances;
  std::vector<Interval> intervals;
  for (Row i = 0; i < instances.size(); ++i) {
    if (data_loader_only && profile.text(profile.ops.type[instances.op[i]]) != kDataLoaderOpType) {
      continue;
    }
    intervals.push_back({instances.cpu_start_ns[i], instances.cpu_stop_ns[i]});
  }
  return IntervalSet::union_of(std::move(intervals));
}

DeviceTimeline gpu_timeline(DeviceEvents events) {
  DeviceTimeline timeline;
  timeline.tensor_core_kernels = IntervalSet::union_of(std::move(events.tensor_core_kernels));
  timeline.other_kernels =
      IntervalSet::union_of(std::move(events.other_kernels)).without(timeline.tensor_core_kernels);
  timeline.memory = IntervalSet::union_of(std::move(events.memory))
                        .without(timeline.tensor_core_kernels)
                        .without(timeline.other_kernels);
  if (events.communication.empty()) return timeline;
  timeline.communication = IntervalSet::union_of(std::move(events.communication));
  timeline.exposed_communication =
      timeline.communication.without(IntervalSet::union_of(std::move(events.computation)));
  return timeline;
}

}  // namespace

Breakdown DeviceTimeline::between(int64_t start_ns, int64_t stop_ns) const {
  Breakdown result;
  result[Category::tensor_core_kernels] = tensor_core_kernels.covered_ns(start_ns, stop_ns);
  result[Category::other_kernels] = other_kernels.covered_ns(start_ns, stop_ns);
  result[Category::memory] = memory.covered_ns(start_ns, stop_ns);
  result[Category::data_loader] = host->data_loader.covered_ns(start_ns, stop_ns);
  result[Category::cpu] = host->cpu.covered_ns(start_ns, stop_ns);
  result[Category::other] = stop_ns - start_ns - result.total();
  return result;
}

CommunicationTime DeviceTimeline::communication_between(int64_t start_ns, int64_t stop_ns) const {
  return {communication.covered_ns(start_ns, stop_ns),
          exposed_communication.covered_ns(start_ns, stop_ns)};
}

std::vector<DeviceTimeline> device_timelines(const Profile& profile,
                                             const std::vector<uint8_t>& communicates) {
  std::vector<DeviceEvents> events = events_by_device(profile, communicates);
  const auto ran_kernel = [](const DeviceEvents& device) {
    return !device.tensor_core_kernels.empty() || !device.other_kernels.empty();
  };
  const bool none_ran = std::none_of(events.begin(), events.end(), ran_kernel);
  const IntervalSet data_loader = host_intervals(profile, true);
  const IntervalSet host = host_intervals(profile, false).without(data_loader);

  std::vector<DeviceTimeline> timelines(events.size());
  base::parallel_for(events.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t d = begin; d < end; ++d) {
      // decisions.md 7: idle devices of a run that used others get no host time.
      const bool host_counts = none_ran || ran_kernel(events[d]);
      timelines[d] = gpu_timeline(std::move(events[d]));
      auto host_timeline = std::make_shared<HostTimeline>();
      if (host_counts) {
        const IntervalSet busy = timelines[d]
                                     .tensor_core_kernels.united_with(timelines[d].other_kernels)
                                     .united_with(timelines[d].memory);
        *host_timeline = {data_loader.without(busy), host.without(busy)};
      }
      timelines[d].host = std::move(host_timeline);
    }
  });
  return timelines;
}

std::vector<DeviceTimeline> device_timelines(std::vector<DeviceEvents> events,
                                             const std::vector<DeviceTimeline>& all) {
  std::vector<DeviceTimeline> timelines(events.size());
  base::parallel_for(events.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t d = begin; d < end; ++d) {
      timelines[d] = gpu_timeline(std::move(events[d]));
      timelines[d].host = all[d].host;
    }
  });
  return timelines;
}

}  // namespace dlview::aggregate::cpu
