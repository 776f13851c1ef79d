#include "aggregate/rules/gpu_events.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stop_point.h"
#include "profile/streams.h"

namespace dlview::aggregate {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::LaunchIndex;
using profile::MemoryOpIndex;
using profile::Profile;
using profile::Row;
using profile::ThreadIndex;

namespace {

// Where no call is recorded, importers let one of no length begin with the work.
template <typename Events>
bool has_launch(const Events& events, Row row) {
  return events.api_start_ns[row] < events.gpu_start_ns[row] ||
         events.api_stop_ns[row] > events.api_start_ns[row];
}

}  // namespace

std::vector<GpuEvents> events_of_gpus(const Profile& profile) {
  std::map<std::pair<int64_t, DeviceIndex>, std::vector<GpuEvent>> events;
  const profile::Kernels& kernels = profile.kernels;
  for (KernelIndex row{0}; row < kernels.size(); ++row) {
    base::stop_point();
    const LaunchIndex launch = kernels.launch[row];
    const ThreadIndex thread = profile.launches.thread[launch];
    events[{profile.threads[thread].process_id, profile.launches.device[launch]}].push_back(
        {kernels.gpu_start_ns[row], kernels.gpu_stop_ns[row], kernels.api_start_ns[row],
         has_launch(kernels, row), row, true, true});
  }
  const profile::MemoryOps& ops = profile.memory_ops;
  const std::vector<bool> computes = in_compute_streams(profile);
  for (MemoryOpIndex row{0}; row < ops.size(); ++row) {
    events[{profile.threads[ops.thread[row]].process_id, ops.device[row]}].push_back(
        {ops.gpu_start_ns[row], ops.gpu_stop_ns[row], ops.api_start_ns[row], has_launch(ops, row),
         row, false, computes[row]});
  }
  std::vector<GpuEvents> gpus;
  for (auto& [where, rows] : events) {
    base::stop_point();
    std::ranges::stable_sort(rows, {}, &GpuEvent::start_ns);
    gpus.push_back({where.first, where.second, std::move(rows)});
  }
  return gpus;
}

std::vector<bool> in_compute_streams(const Profile& profile) {
  std::vector<bool> computes(profile.memory_ops.size(), true);
  if (!profile.trace || profile.memory_ops.size() == 0) return computes;
  const profile::Streams streams = profile::find_streams(profile);
  std::vector<bool> has_kernels(streams.rows.size());
  for (const Row stream : streams.of_kernel) has_kernels[stream] = true;
  for (Row row = 0; row < computes.size(); ++row) {
    computes[row] = has_kernels[streams.of_memory_op[row]];
  }
  return computes;
}

std::vector<GpuWorkTimes> work_times(const Profile& profile, const std::vector<GpuEvents>& events) {
  std::map<DeviceIndex, std::size_t> counts;
  for (const GpuEvents& gpu : events) counts[gpu.device] += gpu.rows.size();
  std::map<DeviceIndex, std::vector<GpuWorkTimes::Event>> of_devices;
  for (const auto& [device, count] : counts) of_devices[device].reserve(count);
  for (const GpuEvents& gpu : events) {
    base::stop_point();
    std::vector<GpuWorkTimes::Event>& rows = of_devices[gpu.device];
    for (const GpuEvent& event : gpu.rows) {
      rows.push_back({event.start_ns, event.stop_ns, instance_of(profile, event)});
    }
  }
  std::vector<GpuWorkTimes> gpus;
  for (auto& [device, rows] : of_devices) gpus.emplace_back(device, std::move(rows));
  return gpus;
}

InstanceIndex instance_of(const Profile& profile, const GpuEvent& event) {
  return event.is_kernel ? profile.kernels.instance[KernelIndex(event.row)]
                         : profile.memory_ops.instance[MemoryOpIndex(event.row)];
}

ThreadIndex thread_of(const Profile& profile, const GpuEvent& event) {
  return event.is_kernel ? profile.launches.thread[profile.kernels.launch[KernelIndex(event.row)]]
                         : profile.memory_ops.thread[MemoryOpIndex(event.row)];
}

}  // namespace dlview::aggregate
