#include "import/capture/devices.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/blocks.h"
#include "import/capture/trace_rows.h"
#include "import/times.h"
#include "profile/cuda_devices.h"

namespace dlview::import::capture {
namespace {

using profile::ThreadId;
using profile::Trace;
using profile::TraceGpu;
using Used = std::set<std::pair<ThreadId, int32_t>>;  // processes and their ordinals

void add_used(const profile::GpuWork& work, Used& used) {
  base::Blocks<Used> blocks(work.size(), kRowsAtOnce);
  blocks.for_each([&](Used& devices, std::size_t begin, std::size_t end) {
    Used::value_type last{profile::kNoValue, -1};
    for (std::size_t row = begin; row < end; ++row) {
      const Used::value_type device{value_or(work.process, row, profile::kNoValue),
                                    value_or(work.device_id, row, 0)};
      if (device.second < 0 || device == last) continue;
      devices.insert(device);
      last = device;
    }
  });
  for (Used& devices : blocks.states()) used.merge(devices);
}

Used used_devices(const Trace& trace) {
  Used used;
  for (const profile::GpuWork* work :
       {static_cast<const profile::GpuWork*>(&trace.kernels),
        static_cast<const profile::GpuWork*>(&trace.memcpys),
        static_cast<const profile::GpuWork*>(&trace.memsets),
        static_cast<const profile::GpuWork*>(&trace.graph_launches)}) {
    add_used(*work, used);
  }
  return used;
}

std::vector<const TraceGpu*> recorded_gpus(const Trace& trace, const TraceNotes& notes) {
  const bool has_all_makers = trace.capture.recorder != profile::Recorder::nsight_systems;
  std::vector<const TraceGpu*> gpus;
  int64_t line = 0;
  for (const TraceGpu& gpu : trace.gpus) {
    ++line;
    if (has_all_makers || gpu.vendor == profile::Vendor::nvidia) {
      gpus.push_back(&gpu);
    } else {
      notes.log.add(notes.tables.gpus, "not an NVIDIA GPU; ignored", line,
                    [&] { return fmt::format("\"{}\"", gpu.name); });
    }
  }
  std::ranges::stable_sort(gpus, {}, [](const TraceGpu* gpu) { return gpu->id; });
  return gpus;
}

// The system's CUDA ordinals where each GPU has its own, else their places.
std::vector<int64_t> ordinals_of(const std::vector<const TraceGpu*>& gpus) {
  std::vector<int64_t> ordinals;
  std::set<int64_t> distinct;
  for (const TraceGpu* gpu : gpus) {
    ordinals.push_back(gpu->cuda_device.value_or(std::ssize(ordinals)));
    distinct.insert(ordinals.back());
  }
  if (distinct.size() == gpus.size()) return ordinals;
  for (std::size_t place = 0; place < ordinals.size(); ++place) {
    ordinals[place] = static_cast<int64_t>(place);
  }
  return ordinals;
}

profile::Device device_of(const TraceGpu& gpu, int64_t ordinal) {
  profile::Device device;
  device.source_id = gpu.id;
  device.device_id = ordinal;
  device.name = gpu.name;
  device.vendor = gpu.vendor;
  device.compute_capability_major = gpu.compute_capability_major.value_or(0);
  device.compute_capability_minor = gpu.compute_capability_minor.value_or(0);
  device.sm_count = gpu.sm_count.value_or(0);
  if (gpu.memory_bytes.value_or(0) > 0) device.memory_total_bytes = gpu.memory_bytes;
  device.memory_used_bytes = gpu.memory_used_bytes;
  return device;
}

// The system's ordinal of the GPU that a process means.
int64_t system_ordinal(const Trace& trace, const std::vector<const TraceGpu*>& gpus,
                       const std::vector<int64_t>& ordinals, ThreadId process,
                       int32_t cuda_device) {
  if (const auto told = profile::recorded_gpu(trace, process, cuda_device)) {
    const auto gpu = std::ranges::find(gpus, *told, [](const TraceGpu* g) { return g->id; });
    if (gpu != gpus.end()) return ordinals[static_cast<std::size_t>(gpu - gpus.begin())];
  }
  return cuda_device;
}

}  // namespace

DeviceRows add_devices(const Trace& trace, profile::ProfileBuilder& builder,
                       const TraceNotes& notes) {
  const std::vector<const TraceGpu*> gpus = recorded_gpus(trace, notes);
  const std::vector<int64_t> ordinals = ordinals_of(gpus);
  std::map<int64_t, profile::Device> devices;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    devices.emplace(ordinals[i], device_of(*gpus[i], ordinals[i]));
  }
  std::map<std::pair<ThreadId, int32_t>, int64_t> meant;
  for (const auto& [process, cuda_device] : used_devices(trace)) {
    const int64_t ordinal = system_ordinal(trace, gpus, ordinals, process, cuda_device);
    meant[{process, cuda_device}] = ordinal;
    const auto [device, is_unknown] = devices.try_emplace(ordinal);
    if (is_unknown) device->second.source_id = device->second.device_id = ordinal;
  }

  if (builder.system.gpu_count.empty() && !gpus.empty()) {
    builder.system.gpu_count = std::to_string(devices.size());
  }

  // spec.md 51: the machine's other GPUs are none of the run's.
  std::set<int64_t> used;
  for (const auto& [process_and_device, ordinal] : meant) used.insert(ordinal);
  std::map<int64_t, profile::Row> rows;
  for (auto& [ordinal, device] : devices) {
    if (!used.empty() && !used.contains(ordinal)) continue;
    if (rows.size() == kMostDevices) {
      notes.log.add(notes.tables.gpus, "too many GPUs", device.source_id,
                    [&, number = ordinal] { return fmt::format("CUDA device {}", number); });
      continue;
    }
    rows[ordinal] = builder.add_device(std::move(device));
  }
  DeviceRows found;
  for (const auto& [process_and_device, ordinal] : meant) {
    const auto row = rows.find(ordinal);
    if (row == rows.end()) continue;
    found.set(process_and_device.first, process_and_device.second, row->second);
  }
  return found;
}

}  // namespace dlview::import::capture
