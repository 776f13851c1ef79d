#include "import/nsys/facts.h"

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/parse.h"
#include "import/times.h"

namespace dlview::import::nsys {
namespace {

using profile::CaptureFacts;
using profile::SystemFacts;

// A row of a table of names and values, and the fact that it tells.
template <typename Facts>
struct NamedFact {
  std::string_view name;
  std::string Facts::*fact;
};

constexpr NamedFact<SystemFacts> kEnvironment[] = {
    {"NvDriverVersion", &SystemFacts::driver_version},
    {"CudaDriverVersion", &SystemFacts::cuda_version},
    {"CpuDescription", &SystemFacts::cpu_model},
    {"OsDescription", &SystemFacts::os_name}};
constexpr NamedFact<CaptureFacts> kMachine[] = {
    {"Hostname", &CaptureFacts::host},
    {"CpuCores", &CaptureFacts::cpu_cores},
    {"SoftwareReleaseVersion", &CaptureFacts::kernel_release}};
constexpr NamedFact<CaptureFacts> kCapture[] = {{"DEVICE_DISPLAY_NAME", &CaptureFacts::host},
                                                {"PROCESS_0:COMMAND", &CaptureFacts::program}};

// Of several rows with one name the first that says something counts.
template <typename Facts>
void take_fact(Context& context, const char* table, const sqlite::Statement& row, int64_t number,
               std::span<const NamedFact<Facts>> known, Facts& facts) {
  for (const NamedFact<Facts>& each : known) {
    std::string& fact = facts.*each.fact;
    if (row.text(0) == each.name && fact.empty()) {
      fact = context.texts.valid(table, number, row.text(1));
    }
  }
}

// "12080" is CUDA 12.8.
std::string cuda_version(const std::string& stored) {
  const std::optional<int64_t> number = base::parse_natural(stored);
  if (!number) return stored;
  return fmt::format("{}.{}", *number / 1000, *number % 1000 / 10);
}

// Some exporters leave out the points: 5303002 is 530.30.02, 52510517 is 525.105.17, 58160 is
// 581.60. The last part has two digits and the first three; other lengths stay as they are.
std::string driver_version(const std::string& stored) {
  if (!base::parse_natural(stored) || stored.size() < 5 || stored.size() == 6 ||
      stored.size() > 8) {
    return stored;
  }
  const std::string major = stored.substr(0, 3), last = stored.substr(stored.size() - 2);
  const std::string minor = stored.substr(3, stored.size() - 5);
  return minor.empty() ? fmt::format("{}.{}", major, last)
                       : fmt::format("{}.{}.{}", major, minor, last);
}

base::Status read_environment(Context& context, CaptureFacts& capture) {
  constexpr const char* kTable = "TARGET_INFO_SYSTEM_ENV";
  constexpr const char* kColumns[] = {"name", "value"};
  SystemFacts& facts = context.builder.system;
  const auto use = [&](const sqlite::Statement& row, int64_t number) {
    take_fact<SystemFacts>(context, kTable, row, number, kEnvironment, facts);
    take_fact<CaptureFacts>(context, kTable, row, number, kMachine, capture);
  };
  base::Status status = for_each_row(context, kTable, kColumns, use);
  facts.cuda_version = cuda_version(facts.cuda_version);
  facts.driver_version = driver_version(facts.driver_version);
  return status;
}

// The rows of this table are not unique by name, and most of them are environment variables.
base::Status read_capture(Context& context, CaptureFacts& capture) {
  constexpr const char* kTable = "META_DATA_CAPTURE";
  constexpr const char* kColumns[] = {"name", "value"};
  return for_each_row(context, kTable, kColumns, [&](const sqlite::Statement& row, int64_t number) {
    take_fact<CaptureFacts>(context, kTable, row, number, kCapture, capture);
  });
}

// DLProf writes what it found into the export that it reads; that goes before.
base::Status read_facts_of_dlprof(Context& context) {
  constexpr const char* kTable = "SystemInfo";
  constexpr const char* kColumns[] = {"gpuCount",  "driverVersion", "cudaVersion", "cudnnVersion",
                                      "framework", "nsysVersion",   "cpuModel"};
  constexpr std::string SystemFacts::*kFacts[] = {
      &SystemFacts::gpu_count,     &SystemFacts::driver_version, &SystemFacts::cuda_version,
      &SystemFacts::cudnn_version, &SystemFacts::framework,      &SystemFacts::nsys_version,
      &SystemFacts::cpu_model};
  return for_each_row(context, kTable, kColumns, [&](const sqlite::Statement& row, int64_t number) {
    int column = 0;
    for (std::string SystemFacts::*fact : kFacts) {
      const std::string_view text = row.text(column++);
      if (!text.empty()) context.builder.system.*fact = context.texts.valid(kTable, number, text);
    }
  });
}

// Two names of one table, before and from 2023.3 on.
base::Status read_export_facts(Context& context, CaptureFacts& capture, bool& is_utc) {
  constexpr const char* kColumns[] = {"name", "value"};
  for (const char* table : {"EXPORT_META_DATA", "META_DATA_EXPORT"}) {
    const auto use = [&](const sqlite::Statement& row, int64_t) {
      if (row.text(0) == "EXPORT_PRODUCT_VERSION")
        context.builder.system.nsys_version = row.text(1);
      if (row.text(0) == "EXPORT_SCHEMA_VERSION") capture.schema_version = row.text(1);
      if (row.text(0) == "EXPORT_PARAM_TIME_NORMALIZE") is_utc = row.text(1) == "true";
    };
    if (auto status = for_each_row(context, table, kColumns, use); !status) return status;
  }
  return base::Success{};
}

base::Status read_session(Context& context, profile::Trace& trace) {
  constexpr const char* kStart[] = {"utcEpochNs"};
  constexpr const char* kSystemStart[] = {"systemClockNs"};
  constexpr const char* kLength[] = {"duration"};
  const auto first = [](std::optional<int64_t>& value) {
    return [&value](const sqlite::Statement& row, int64_t) {
      if (!value && row.is_integer(0)) value = row.integer(0);
    };
  };
  base::Status status =
      for_each_row(context, "TARGET_INFO_SESSION_START_TIME", kStart, first(trace.utc_start_ns));
  if (!status) return status;
  DLVIEW_TRY(for_each_row(context, "TARGET_INFO_SESSION_START_TIME", kSystemStart,
                          first(trace.capture.system_start_ns)));
  return for_each_row(context, "ANALYSIS_DETAILS", kLength, first(trace.duration_ns));
}

// Room for every time that may be read around it.
bool is_plausible_origin(int64_t time_ns) {
  return time_ns > 0 && time_ns < std::numeric_limits<int64_t>::max() - 2 * kLatestNs;
}

}  // namespace

base::Status read_facts(Context& context, profile::Trace& trace) {
  context.progress.begin_stage("Reading the system configuration");
  bool is_utc = false;
  CaptureFacts& capture = trace.capture;
  DLVIEW_TRY(read_environment(context, capture));
  DLVIEW_TRY(read_capture(context, capture));
  DLVIEW_TRY(read_export_facts(context, capture, is_utc));
  const std::string& version = context.builder.system.nsys_version;
  context.builder.source = {
      context.database.path().string(),
      version.empty() ? "Nsight Systems, before 2022" : "Nsight Systems " + version,
      context.database.file().bytes()};
  context.builder.source.by_tensor_core_rules = true;
  DLVIEW_TRY(read_facts_of_dlprof(context));
  DLVIEW_TRY(read_session(context, trace));
  // `nsys export --ts-normalize` counts from 1970.
  if (is_utc && is_plausible_origin(trace.utc_start_ns.value_or(0))) {
    context.origin_ns = *trace.utc_start_ns;
  }
  context.builder.system.profile_name = context.database.path().stem().string();
  return base::Success{};
}

}  // namespace dlview::import::nsys
