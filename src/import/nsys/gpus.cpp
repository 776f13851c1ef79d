#include "import/nsys/gpus.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace dlview::import::nsys {
namespace {

using profile::TraceGpu;

constexpr const char* kGpus = kTables.gpus;
constexpr const char* kCudaGpus = "TARGET_INFO_CUDA_GPU";
constexpr const char* kCudaDevices = "TARGET_INFO_CUDA_DEVICE";

std::optional<int64_t> number(const sqlite::Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
}

std::optional<int32_t> small_number(const sqlite::Statement& row, int column) {
  using Limits = std::numeric_limits<int32_t>;
  if (row.is_null(column)) return std::nullopt;
  return static_cast<int32_t>(
      std::clamp<int64_t>(row.integer(column), Limits::min(), Limits::max()));
}

// The file lists adapters of other vendors, too; those have no compute capability.
profile::Vendor vendor_of(const TraceGpu& gpu) {
  using enum profile::Vendor;
  if (gpu.compute_capability_major.value_or(1) > 0 || gpu.name.starts_with("NVIDIA")) return nvidia;
  if (gpu.name.starts_with("AMD") || gpu.name.starts_with("Radeon")) return amd;
  return gpu.name.starts_with("Intel") ? intel : unknown;
}

base::Status read_system_gpus(Context& context, const char* id_column,
                              std::vector<TraceGpu>& gpus) {
  const char* const columns[] = {id_column,  "name",         "busLocation",     "uuid",
                                 "cuDevice", "totalMemory",  "memoryBandwidth", "clockRate",
                                 "smCount",  "computeMajor", "computeMinor"};
  return for_each_row(context, kGpus, columns, [&](const sqlite::Statement& row, int64_t line) {
    TraceGpu gpu;
    gpu.id = row.integer(0);
    gpu.name = context.texts.valid(kGpus, line, row.text(1));
    gpu.bus_location = context.texts.valid(kGpus, line, row.text(2));
    gpu.uuid = context.texts.valid(kGpus, line, row.text(3));
    gpu.cuda_device = number(row, 4);
    gpu.memory_bytes = number(row, 5);
    gpu.memory_bandwidth = number(row, 6);
    gpu.clock_rate_hz = number(row, 7);
    gpu.sm_count = small_number(row, 8);
    gpu.compute_capability_major = small_number(row, 9);
    gpu.compute_capability_minor = small_number(row, 10);
    gpu.vendor = vendor_of(gpu);
    gpus.push_back(std::move(gpu));
  });
}

// One row for each process and GPU that it saw; a GPU is known by its place on the bus.
base::Status read_cuda_gpus(Context& context, profile::Trace& trace) {
  constexpr const char* kColumns[] = {"deviceId",
                                      "pid",
                                      "pciBusId",
                                      "name",
                                      "globalMemorySize",
                                      "numMultiprocessors",
                                      "computeCapabilityMajor",
                                      "computeCapabilityMinor"};
  constexpr int64_t kBytesPerMebibyte = 1 << 20, kMostMebibytes = int64_t{1} << 40;
  std::map<std::string, int64_t> id_of_place;
  return for_each_row(
      context, kCudaGpus, kColumns, [&](const sqlite::Statement& row, int64_t line) {
        const int64_t ordinal = row.integer(0);
        const std::string place =
            row.is_null(2) ? "device " + std::to_string(ordinal) : std::string(row.text(2));
        const auto [known, is_new] = id_of_place.emplace(place, std::ssize(id_of_place));
        const std::optional<int64_t> mebibytes = number(row, 4);
        if (is_new) {
          TraceGpu gpu;
          gpu.id = known->second;
          gpu.bus_location = context.texts.valid(kCudaGpus, line, row.text(2));
          gpu.name = context.texts.valid(kCudaGpus, line, row.text(3));
          if (mebibytes && *mebibytes < kMostMebibytes)
            gpu.memory_bytes = *mebibytes * kBytesPerMebibyte;
          gpu.sm_count = small_number(row, 5);
          gpu.compute_capability_major = small_number(row, 6);
          gpu.compute_capability_minor = small_number(row, 7);
          gpu.vendor = vendor_of(gpu);
          trace.gpus.push_back(std::move(gpu));
        }
        trace.cuda_devices.push_back({known->second, ordinal, row.integer(1)});
      });
}

base::Status read_cuda_devices(Context& context, std::vector<profile::TraceCudaDevice>& devices) {
  constexpr const char* kColumns[] = {"gpuId", "cudaId", "pid"};
  return for_each_row(
      context, kCudaDevices, kColumns, [&](const sqlite::Statement& row, int64_t line) {
        if (row.is_integer(0) && row.is_integer(1) && row.is_integer(2)) {
          devices.push_back({row.integer(0), row.integer(1), row.integer(2)});
          return;
        }
        context.quality.add(kCudaDevices, "no GPU for the CUDA device of a process", line,
                            [&] { return "gpuId is \"" + std::string(row.text(0)) + "\""; });
      });
}

}  // namespace

base::Status read_gpus(Context& context, profile::Trace& trace) {
  context.progress.begin_stage("Reading GPUs");
  if (context.database.has_column(kGpus, "id")) {
    DLVIEW_TRY(read_system_gpus(context, "id", trace.gpus));
    return read_cuda_devices(context, trace.cuda_devices);
  }
  // The exporters of 2020, whose TARGET_INFO_GPU, if there is one, tells little more than names.
  DLVIEW_TRY(read_cuda_gpus(context, trace));
  if (!trace.gpus.empty()) return base::Success{};
  return read_system_gpus(context, "deviceId", trace.gpus);
}

}  // namespace dlview::import::nsys
