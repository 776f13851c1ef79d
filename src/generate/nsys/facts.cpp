#include "generate/nsys/facts.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <set>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dlview::generate::nsys {
namespace {

using enum NsysSchema;

constexpr int64_t kSessionStart = 1'640'995'200'000'000'000;  // 2022-01-01, UTC
constexpr const char* kSessionStartText = "2022-01-01T00:00:00";

constexpr ColumnSpec kNameAndValue[] = {{"name TEXT NOT NULL"}, {"value TEXT"}};
constexpr TableSpec kExportFactsOf2023{"EXPORT_META_DATA", kNameAndValue, v2023, v2023};
constexpr TableSpec kExportFacts{"META_DATA_EXPORT", kNameAndValue, v2026};
constexpr TableSpec kCaptureFacts{"META_DATA_CAPTURE", kNameAndValue, v2026};

constexpr ColumnSpec kEnvironmentColumns[] = {{"globalVid INTEGER"},
                                              {"devStateName TEXT NOT NULL"},
                                              {"name TEXT NOT NULL"},
                                              {"nameEnum INTEGER NOT NULL"},
                                              {"value TEXT NOT NULL"}};
constexpr TableSpec kEnvironment{"TARGET_INFO_SYSTEM_ENV", kEnvironmentColumns};

constexpr ColumnSpec kStartColumns[] = {
    {"utcEpochNs INTEGER"}, {"utcTime TEXT"}, {"localTime TEXT"}, {"systemClockNs INTEGER", v2026}};
constexpr TableSpec kStart{"TARGET_INFO_SESSION_START_TIME", kStartColumns};

constexpr ColumnSpec kDetailColumns[] = {{"globalVid INTEGER NOT NULL"},
                                         {"duration INTEGER NOT NULL"},
                                         {"startTime INTEGER NOT NULL"},
                                         {"stopTime INTEGER NOT NULL"}};
constexpr TableSpec kDetails{"ANALYSIS_DETAILS", kDetailColumns, v2023};

constexpr ColumnSpec kGpuColumns[] = {{"vmId INTEGER NOT NULL"},
                                      {"id INTEGER NOT NULL"},
                                      {"name TEXT"},
                                      {"busLocation TEXT"},
                                      {"isDiscrete INTEGER"},
                                      {"totalMemory INTEGER"},
                                      {"smCount INTEGER"},
                                      {"cuDevice INTEGER"},
                                      {"computeMajor INTEGER"},
                                      {"computeMinor INTEGER"},
                                      {"memoryBandwidth INTEGER"},
                                      {"clockRate INTEGER"},
                                      {"uuid TEXT"}};
constexpr TableSpec kGpus{"TARGET_INFO_GPU", kGpuColumns};

constexpr ColumnSpec kCudaDeviceColumns[] = {{"gpuId INTEGER"},
                                             {"cudaId INTEGER NOT NULL"},
                                             {"pid INTEGER NOT NULL"},
                                             {"uuid TEXT"},
                                             {"numMultiprocessors INTEGER"}};
constexpr TableSpec kCudaDevices{"TARGET_INFO_CUDA_DEVICE", kCudaDeviceColumns, v2026};

constexpr ColumnSpec kProcessColumns[] = {{"globalPid INTEGER"}, {"pid INTEGER"}, {"name TEXT"}};
constexpr TableSpec kProcesses{"PROCESSES", kProcessColumns, v2023};

constexpr ColumnSpec kThreadColumns[] = {
    {"nameId INTEGER NOT NULL"}, {"priority INTEGER"}, {"globalTid INTEGER"}};
constexpr TableSpec kThreads{"ThreadNames", kThreadColumns};

constexpr ColumnSpec kEnumColumns[] = {
    {"id INTEGER NOT NULL PRIMARY KEY"}, {"name TEXT"}, {"label TEXT"}};
constexpr TableSpec kCopyKinds{"ENUM_CUDA_MEMCPY_OPER", kEnumColumns, v2023};

void write_versions(Export& out, const CaptureIdentity* identity) {
  const bool is_2023 = out.schema == v2023;
  Table facts(out.file, out.schema, is_2023 ? kExportFactsOf2023 : kExportFacts);
  facts.add({"EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"});
  facts.add({"EXPORT_PRODUCT_VERSION", is_2023 ? "2023.1.2.43" : "2026.2.1.210"});
  facts.add({"EXPORT_SCHEMA_VERSION", is_2023 ? "3.1.2" : "3.25.0"});
  facts.add({"EXPORT_HOST", "dlview"});
  if (identity != nullptr) {
    facts.add({"EXPORT_PARAM_INCLUDE_BLOBS", identity->includes_blobs ? "true" : "false"});
    facts.add({"EXPORT_PARAM_TIME_NORMALIZE", "false"});
    facts.add({"EXPORT_PARAM_TIME_SHIFT", "0"});
  }
  Table capture(out.file, out.schema, kCaptureFacts);
  capture.add({"CAPTURE_EVENT_TYPE", "Cuda"});
  if (identity == nullptr) return;
  capture.add({"CAPTURE_EVENT_TYPE", "NvtxEvents"});
  capture.add({"DEVICE_DISPLAY_NAME", identity->host});
  capture.add({"PROCESS_0:COMMAND", identity->command});
  for (const std::string& variable : identity->environment) {
    const std::size_t equals = variable.find('=');
    capture.add({"PROCESS_0:ENVIRONMENT_VARIABLE",
                 fmt::format("{}=\"{}\"", variable.substr(0, equals),
                             variable.substr(std::min(equals + 1, variable.size())))});
  }
}

// CUDA 11.5 is "11050".
std::string driver_number(const std::string& cuda_version) {
  const std::size_t dot = cuda_version.find('.');
  const int major = std::atoi(cuda_version.c_str());
  const int minor = dot == std::string::npos ? 0 : std::atoi(cuda_version.c_str() + dot + 1);
  return std::to_string(major * 1000 + minor * 10);
}

void write_machine(Export& out, const profile::SystemFacts& facts,
                   const CaptureIdentity* identity) {
  const std::string cuda = driver_number(facts.cuda_version);
  Table environment(out.file, out.schema, kEnvironment);
  const auto add = [&](std::string_view name, int64_t number, std::string_view value) {
    environment.add({kVirtualMachine, "Local (CLI)", name, number, value});
  };
  add("CpuDescription", 13, facts.cpu_model);
  add("NvDriverVersion", 205, facts.driver_version);
  add("OsDescription", 605, "Ubuntu 20.04.3 LTS");
  add("CudaDriverVersion", 611, cuda);
  if (identity == nullptr) return;
  add("Hostname", 9, identity->host);
  add("DeviceEnvironment", 11, fmt::format("{}", fmt::join(identity->environment, ";")));
}

void write_session(Export& out, int64_t last_ns, const CaptureIdentity* identity) {
  Table start(out.file, out.schema, kStart);
  if (identity != nullptr) {
    const auto seconds = static_cast<std::time_t>(identity->utc_ns / 1'000'000'000);
    const std::string utc = fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(seconds));
    start.add({identity->utc_ns, utc, utc, identity->system_clock_ns});
  } else {
    start.add({kSessionStart, kSessionStartText, kSessionStartText, 0});
  }
  Table(out.file, out.schema, kDetails).add({kVirtualMachine, last_ns, 0, last_ns});
}

std::set<int64_t> processes(const Facts& facts) {
  std::set<int64_t> ids;
  for (const ThreadFacts& thread : facts.threads) ids.insert(thread.thread.process_id);
  return ids;
}

// The last GPU first, as Nsight Systems lists them.
void write_gpus(Export& out, const Facts& facts) {
  Table gpus(out.file, out.schema, kGpus);
  Table cuda_devices(out.file, out.schema, kCudaDevices);
  for (int64_t id = std::ssize(facts.devices) - 1; id >= 0; --id) {
    const profile::Device& device = facts.devices[static_cast<std::size_t>(id)];
    const std::string bus = fmt::format("0000:{:02x}:00.0", id + 1);
    gpus.add({0, id, device.name, bus, 1, device.memory_total_bytes.value_or(0), device.sm_count,
              device.device_id, device.compute_capability_major, device.compute_capability_minor});
    for (const int64_t process : processes(facts)) {
      cuda_devices.add({id, device.device_id, process, nullptr, device.sm_count});
    }
  }
}

void write_names(Export& out, const Facts& facts) {
  Table names(out.file, out.schema, kProcesses);
  for (const int64_t process : processes(facts)) {
    names.add({global_process({process, 0}), process, "/usr/bin/python3"});
  }
  Table threads(out.file, out.schema, kThreads);
  for (const ThreadFacts& thread : facts.threads) {
    threads.add({out.strings.id(std::string_view(thread.name)), 20, global_thread(thread.thread)});
  }
}

void write_enumerations(Export& out) {
  Table kinds(out.file, out.schema, kCopyKinds);
  kinds.add({1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"});
  kinds.add({2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"});
  kinds.add({8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"});
}

}  // namespace

void write_facts(Export& out, const Facts& facts) {
  write_versions(out, facts.identity);
  write_machine(out, facts.system, facts.identity);
  write_session(out, facts.last_ns, facts.identity);
  write_gpus(out, facts);
  write_names(out, facts);
  write_enumerations(out);
}

}  // namespace dlview::generate::nsys
