#include "import/dlprof/devices.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "import/times.h"

namespace dlview::import::dlprof {
namespace {

using enum ColumnSpec::Kind;
using profile::Device;

constexpr ColumnSpec kGpuColumns[] = {
    {"id"},
    {"device_id"},
    {"gpu_name", text, "GPU names"},
    {"compute_capability_major", integer, "Compute capability of the GPUs"},
    {"compute_capability_minor", integer, "Compute capability of the GPUs"},
    {"sm_count", integer, "Number of multiprocessors of the GPUs"}};
constexpr TableSpec kGpus{"read_only_gpu_infos", kGpuColumns, "Reading GPUs"};

constexpr ColumnSpec kMemoryColumns[] = {{"id"}, {"total"}, {"used"}};
constexpr TableSpec kMemories{"gpu_memories", kMemoryColumns, "Reading GPU memory", "GPU memory"};

// gpu_memories has no device column: its n-th row belongs to the n-th GPU. A total of 0 means that
// DLProf did not measure.
base::Status read_memories(Context& context, std::vector<Device>& gpus) {
  std::size_t next = 0;
  return for_each_row(
      context, kMemories,
      [&](const sqlite::Statement& row) {
        const std::size_t gpu = next++;
        if (gpu >= gpus.size()) {
          context.quality.add(kMemories.name, "no GPU for this row", row.integer(0),
                              [&] { return "of " + std::to_string(gpus.size()) + " GPUs"; });
        } else if (row.integer(1) > 0) {
          gpus[gpu].memory_total_bytes = row.integer(1);
          gpus[gpu].memory_used_bytes = row.integer(2);
        }
      },
      [&](const sqlite::Statement&) { ++next; });
}

int32_t saturated(int64_t value) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX));
}

}  // namespace

base::Status read_devices(Context& context, DeviceRows& devices) {
  std::vector<Device> gpus;
  base::Status status = for_each_row(context, kGpus, [&](const sqlite::Statement& row) {
    Device gpu;
    gpu.source_id = row.integer(0);
    gpu.device_id = row.integer(1);
    gpu.name = std::string(row.text(2));
    gpu.compute_capability_major = saturated(row.integer(3));
    gpu.compute_capability_minor = saturated(row.integer(4));
    gpu.sm_count = saturated(row.integer(5));
    gpus.push_back(std::move(gpu));
  });
  if (!status) return status;
  DLVIEW_TRY(read_memories(context, gpus));

  std::stable_sort(gpus.begin(), gpus.end(),
                   [](const Device& a, const Device& b) { return a.device_id < b.device_id; });
  for (Device& gpu : gpus) {
    if (devices.find(gpu.device_id)) {
      context.quality.add(kGpus.name, "another GPU has the same device_id", gpu.source_id,
                          [&] { return "device_id " + std::to_string(gpu.device_id); });
      continue;
    }
    if (devices.size() == kMostDevices) {
      context.quality.add(kGpus.name, "too many GPUs", gpu.source_id,
                          [&] { return "device_id " + std::to_string(gpu.device_id); });
      continue;
    }
    const int64_t device_id = gpu.device_id;
    devices.add(device_id, context.builder.add_device(std::move(gpu)));
  }
  return base::Success{};
}

}  // namespace dlview::import::dlprof
