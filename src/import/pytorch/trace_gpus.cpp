#include "import/pytorch/trace_gpus.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "import/pytorch/column_of.h"

namespace dlview::import::pytorch {
namespace {

using profile::ProfileBuilder;
using std::string_view;

// "urEnqueueKernelLaunch", formerly "piEnqueueKernelLaunch", and Level Zero's "zeEventCreate".
bool is_call_of_intel(string_view name) {
  const bool has_prefix =
      name.starts_with("ur") || name.starts_with("pi") || name.starts_with("ze");
  return has_prefix && name.size() > 2 && 'A' <= name[2] && name[2] <= 'Z';
}

}  // namespace

profile::Vendor vendor_of(const TraceHeader& header, const CallOrder& calls,
                          const ProfileBuilder& builder) {
  using enum profile::Vendor;
  if (!header.hip_runtime_version.empty() || !header.hip_driver_version.empty()) return amd;
  if (!header.cuda_runtime_version.empty() || !header.cuda_driver_version.empty()) return nvidia;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const string_view name = builder.text(calls[i].name);
    if (name.starts_with("hip")) return amd;
    if (name.starts_with("cuda") || name.starts_with("cuLaunch")) return nvidia;
    if (is_call_of_intel(name)) return intel;
  }
  for (const DeviceProperties& device : header.devices) {
    if (device.name.starts_with("AMD")) return amd;
    if (device.name.starts_with("Intel")) return intel;
    // Only NVIDIA's and AMD's have one.
    if (device.compute_capability_major.value_or(0) > 0) return nvidia;
  }
  return unknown;
}

void add_gpus(const TraceEvents& events, profile::Vendor vendor, profile::Trace& trace) {
  std::map<int64_t, profile::TraceGpu> gpus;
  const auto gpu_of = [&](int64_t id) -> profile::TraceGpu& {
    profile::TraceGpu& gpu = gpus[id];
    gpu.id = id;
    gpu.cuda_device = id;
    gpu.vendor = vendor;
    return gpu;
  };
  std::set<int64_t> working;
  for (const profile::GpuWork* work : {static_cast<const profile::GpuWork*>(&trace.kernels),
                                       static_cast<const profile::GpuWork*>(&trace.memcpys),
                                       static_cast<const profile::GpuWork*>(&trace.memsets)}) {
    int32_t last = -1;
    for (const int32_t device : work->device_id) {
      if (device != last && device >= 0) working.insert(device);
      last = device;
    }
  }
  // The profiler may count visible GPUs in the header, and all GPUs in the events.
  const bool is_same = events.header.devices.size() == 1 && working.size() == 1;
  for (const DeviceProperties& device : events.header.devices) {
    profile::TraceGpu& gpu = gpu_of(is_same ? *working.begin() : device.id);
    gpu.name = device.name;
    gpu.memory_bytes = device.memory_bytes;
    const auto small = [](std::optional<int64_t> value) {
      return value ? std::optional(narrow(*value, 0)) : std::nullopt;
    };
    gpu.sm_count = small(device.sm_count);
    // AMD's numbers are no CUDA capability.
    if (vendor != profile::Vendor::nvidia) continue;
    gpu.compute_capability_major = small(device.compute_capability_major);
    gpu.compute_capability_minor = small(device.compute_capability_minor);
  }
  for (const int64_t device : working) gpu_of(device);
  constexpr int64_t kCpu = 0;
  for (const AllocationEvent& event : events.allocations) {
    if (event.device_type == kCpu) continue;
    const auto gpu = gpus.find(event.device);
    if (gpu == gpus.end()) continue;
    const auto take_largest = [](std::optional<int64_t>& largest, int64_t value) {
      if (value != kNoValue) largest = std::max(largest.value_or(0), value);
    };
    take_largest(gpu->second.memory_used_bytes, event.total_reserved);
    take_largest(gpu->second.memory_allocated_bytes, event.total_allocated);
  }
  for (auto& [id, gpu] : gpus) trace.gpus.push_back(std::move(gpu));
}

}  // namespace dlview::import::pytorch
