#include "generate/nsys/sampled_tables.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace dlview::generate::nsys {
namespace {

using enum NsysSchema;
using profile::DeviceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::Profile;

constexpr int64_t kSource = int64_t{0x1000100000000};  // a GPU is its lowest byte
constexpr int64_t kIdleHz = 210'000'000, kBusyHz = 2'624'693'654;
constexpr int64_t kWrap = int64_t{1} << 32;
constexpr std::size_t kOperationsUntilFree = 8;
constexpr int64_t kFirstAddress = 0x7f0000000000;

constexpr ColumnSpec kMetricColumns[] = {{"timestamp INTEGER"},
                                         {"typeId INTEGER NOT NULL"},
                                         {"metricId INTEGER NOT NULL"},
                                         {"value INTEGER NOT NULL"}};
constexpr TableSpec kMetrics{"GPU_METRICS", kMetricColumns, v2023};
constexpr ColumnSpec kNameColumns[] = {{"typeId INTEGER NOT NULL"},
                                       {"sourceId INTEGER NOT NULL"},
                                       {"typeName TEXT NOT NULL"},
                                       {"metricId INTEGER NOT NULL"},
                                       {"metricName TEXT NOT NULL"}};
constexpr TableSpec kNames{"TARGET_INFO_GPU_METRICS", kNameColumns, v2023};
constexpr ColumnSpec kSourceColumns[] = {{"sourceId INTEGER NOT NULL PRIMARY KEY"},
                                         {"data TEXT NOT NULL"}};
constexpr TableSpec kSources{"GENERIC_EVENT_SOURCES", kSourceColumns, v2021, v2021};
constexpr ColumnSpec kTypeColumns[] = {
    {"typeId INTEGER NOT NULL PRIMARY KEY"}, {"sourceId INTEGER NOT NULL"}, {"data TEXT NOT NULL"}};
constexpr TableSpec kTypes{"GENERIC_EVENT_TYPES", kTypeColumns, v2021, v2021};
constexpr ColumnSpec kEventColumns[] = {{"rawTimestamp INTEGER NOT NULL"},
                                        {"timestamp INTEGER"},
                                        {"typeId INTEGER NOT NULL"},
                                        {"data TEXT NOT NULL"}};
constexpr TableSpec kEvents{"GENERIC_EVENTS", kEventColumns, v2021, v2021};
constexpr ColumnSpec kUsageColumns[] = {{"start INTEGER NOT NULL"},
                                        {"globalPid INTEGER NOT NULL"},
                                        {"deviceId INTEGER NOT NULL"},
                                        {"contextId INTEGER NOT NULL"},
                                        {"address INTEGER NOT NULL"},
                                        {"pc INTEGER NOT NULL"},
                                        {"bytes INTEGER NOT NULL"},
                                        {"memKind INTEGER NOT NULL"},
                                        {"memoryOperationType INTEGER NOT NULL"},
                                        {"name TEXT"},
                                        {"correlationId INTEGER"}};
constexpr TableSpec kUsage{"CUDA_GPU_MEMORY_USAGE_EVENTS", kUsageColumns};

// While a kernel runs, in percent; the same for all kernels of a name.
struct Levels {
  int64_t issue = 0, tensor = 0, warps = 0, read = 0, write = 0;
};

Levels levels_of(std::string_view name, bool uses_tensor_cores) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  const auto part = [hash](unsigned shift, uint64_t most) {
    return static_cast<int64_t>((hash >> shift) % (most + 1));
  };
  return {10 + part(8, 60), uses_tensor_cores ? 30 + part(16, 60) : 0, 20 + part(24, 70),
          part(32, 60), part(40, 35)};
}

// Sums over the time of a sample, in ns times percent.
struct Work {
  int64_t active_ns = 0, issue = 0, tensor = 0, warps = 0, read = 0, write = 0, kernels = 0;
};

// write_facts() numbers GPUs by their rows.
int64_t type_of(DeviceIndex device) {
  return kSource + int64_t{profile::Row{device}};
}

std::string json_of(const PlantedSample& sample) {
  std::string json = "{";
  for (std::size_t i = 0; i < kSampledMetrics.size(); ++i) {
    json += fmt::format("{}\n    \"{}\": \"{}\"", i == 0 ? "" : ",", kSampledMetrics[i],
                        sample.values[i]);
  }
  return json + "\n}\n";
}

}  // namespace

std::vector<PlantedSample> planted_samples(const Profile& profile, DeviceIndex device,
                                           int64_t period_ns) {
  const int64_t first_ns = -period_ns / 4;
  const auto count = static_cast<std::size_t>((profile.last_ns - first_ns) / period_ns + 2);
  std::vector<Work> work(count);
  for (KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel) {
    if (profile.device_of_kernel(kernel) != device) continue;
    const int64_t start_ns = profile.kernels.gpu_start_ns[kernel];
    const int64_t stop_ns = profile.kernels.gpu_stop_ns[kernel];
    const Levels levels = levels_of(profile.text(profile.kernels.name[kernel]),
                                    profile.kernels.uses_tensor_cores[kernel] != 0);
    // Sample i is of the time (first + (i - 1) * period, first + i * period].
    for (auto i = static_cast<std::size_t>((start_ns - first_ns) / period_ns + 1); i < count; ++i) {
      const int64_t end_ns = first_ns + static_cast<int64_t>(i) * period_ns;
      const int64_t ns = std::min(stop_ns, end_ns) - std::max(start_ns, end_ns - period_ns);
      if (ns < 0) break;
      Work& sum = work[i];
      sum.active_ns += ns;
      sum.issue += ns * levels.issue;
      sum.tensor += ns * levels.tensor;
      sum.warps += ns * levels.warps;
      sum.read += ns * levels.read;
      sum.write += ns * levels.write;
      ++sum.kernels;
      if (end_ns >= stop_ns) break;
    }
  }
  std::vector<PlantedSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const Work& sum = work[i];
    const auto percent = [period_ns](int64_t ns_percent) {
      return std::min<int64_t>(100, ns_percent / period_ns);
    };
    const int64_t active = percent(100 * sum.active_ns);
    const int64_t warps = percent(sum.warps);
    samples.push_back(
        {first_ns + static_cast<int64_t>(i) * period_ns,
         {active > 0 ? kBusyHz : kIdleHz, active, active, percent(sum.issue), percent(sum.tensor),
          warps, active - std::min(active, warps), percent(sum.read), percent(sum.write),
          sum.kernels > 0 ? 1 : 0, sum.kernels}});
  }
  return samples;
}

void write_gpu_metrics(Export& out, const Profile& profile, int64_t period_ns) {
  Table metrics(out.file, out.schema, kMetrics), names(out.file, out.schema, kNames),
      sources(out.file, out.schema, kSources), types(out.file, out.schema, kTypes),
      events(out.file, out.schema, kEvents);
  sources.add({kSource, std::string_view(R"({"Name": "GpuMetrics", "TimeSource": "SessionNs"})")});
  std::vector<std::vector<PlantedSample>> of_devices;
  std::size_t count = 0;
  for (DeviceIndex device{0}; device < profile.devices.size(); ++device) {
    const int64_t type = type_of(device);
    for (std::size_t i = 0; i < kSampledMetrics.size(); ++i) {
      names.add({type, kSource, std::string_view(), static_cast<int64_t>(i), kSampledMetrics[i]});
    }
    types.add({type, kSource, std::string_view("{\"Name\": \"\"}")});
    of_devices.push_back(planted_samples(profile, device, period_ns));
    count = std::max(count, of_devices.back().size());
  }
  // As nsys writes them: by time.
  for (std::size_t sample = 0; sample < count; ++sample) {
    for (DeviceIndex device{0}; device < profile.devices.size(); ++device) {
      const PlantedSample& planted = of_devices[device][sample];
      const int64_t type = type_of(device);
      for (std::size_t i = 0; i < kSampledMetrics.size(); ++i) {
        const int64_t value = planted.values[i];
        metrics.add({planted.time_ns, type, static_cast<int64_t>(i),
                     value >= kWrap / 2 ? value - kWrap : value});
      }
      if (out.schema == v2021) events.add({planted.time_ns, nullptr, type, json_of(planted)});
    }
  }
}

std::vector<PlantedMemoryEvent> planted_memory_events(const Profile& profile) {
  const profile::MemoryOps& ops = profile.memory_ops;
  std::vector<PlantedMemoryEvent> allocations;
  for (MemoryOpIndex op{0}; op < ops.size(); ++op) {
    const auto number = static_cast<int64_t>(allocations.size());
    allocations.push_back(
        {ops.api_start_ns[op], profile.devices[ops.device[op]].device_id,
         profile.threads[ops.thread[op]],
         number % 4 == 3 ? profile::MemoryKind::pinned : profile::MemoryKind::device, false,
         ops.bytes[op], kFirstAddress + number * 256});
  }
  std::ranges::stable_sort(allocations, {}, &PlantedMemoryEvent::time_ns);
  std::vector<PlantedMemoryEvent> events;
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    if (i >= kOperationsUntilFree) {
      PlantedMemoryEvent free = allocations[i - kOperationsUntilFree];
      free.time_ns = allocations[i].time_ns;
      free.is_free = true;
      events.push_back(free);
    }
    events.push_back(allocations[i]);
  }
  return events;
}

void write_memory_usage(Export& out, const Profile& profile) {
  Table usage(out.file, out.schema, kUsage);
  for (const PlantedMemoryEvent& event : planted_memory_events(profile)) {
    usage.add({event.time_ns, global_process(event.thread), event.device, int64_t{1}, event.address,
               int64_t{0}, event.bytes, static_cast<int64_t>(event.kind),
               int64_t{event.is_free ? 1 : 0}});
  }
}

}  // namespace dlview::generate::nsys
