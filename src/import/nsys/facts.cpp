#include "import/nsys/facts.h"

#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/parse.h"
#include "import/times.h"

namespace dlview::import::nsys {
namespace {

using profile::SystemFacts;

// A row of a table of names and values, and the fact that it tells.
struct NamedFact {
  std::string_view name;
  std::string SystemFacts::*fact;
};

constexpr NamedFact kEnvironment[] = {{"NvDriverVersion", &SystemFacts::driver_version},
                                      {"CudaDriverVersion", &SystemFacts::cuda_version},
                                      {"CpuDescription", &SystemFacts::cpu_model},
                                      {"OsDescription", &SystemFacts::os_name}};

// "12080" is CUDA 12.8.
std::string cuda_version(const std::string& stored) {
  const std::optional<int64_t> number = base::parse_natural(stored);
  if (!number) return stored;
  return fmt::format("{}.{}", *number / 1000, *number % 1000 / 10);
}

// Of several rows with one name the first that says something counts.
base::Status read_environment(Context& context) {
  constexpr const char* kTable = "TARGET_INFO_SYSTEM_ENV";
  constexpr const char* kColumns[] = {"name", "value"};
  SystemFacts& facts = context.builder.system;
  const auto use = [&](const sqlite::Statement& row, int64_t number) {
    for (const NamedFact& known : kEnvironment) {
      std::string& fact = facts.*known.fact;
      if (row.text(0) == known.name && fact.empty()) {
        fact = context.texts.valid(kTable, number, row.text(1));
      }
    }
  };
  base::Status status = for_each_row(context, kTable, kColumns, use);
  facts.cuda_version = cuda_version(facts.cuda_version);
  return status;
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
base::Status read_export_facts(Context& context, bool& is_utc) {
  constexpr const char* kColumns[] = {"name", "value"};
  for (const char* table : {"EXPORT_META_DATA", "META_DATA_EXPORT"}) {
    const auto use = [&](const sqlite::Statement& row, int64_t) {
      if (row.text(0) == "EXPORT_PRODUCT_VERSION")
        context.builder.system.nsys_version = row.text(1);
      if (row.text(0) == "EXPORT_PARAM_TIME_NORMALIZE") is_utc = row.text(1) == "true";
    };
    if (auto status = for_each_row(context, table, kColumns, use); !status) return status;
  }
  return base::Success{};
}

base::Status read_session(Context& context, profile::Trace& trace) {
  constexpr const char* kStart[] = {"utcEpochNs"};
  constexpr const char* kLength[] = {"duration"};
  const auto first = [](std::optional<int64_t>& value) {
    return [&value](const sqlite::Statement& row, int64_t) {
      if (!value && row.is_integer(0)) value = row.integer(0);
    };
  };
  base::Status status =
      for_each_row(context, "TARGET_INFO_SESSION_START_TIME", kStart, first(trace.utc_start_ns));
  if (!status) return status;
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
  if (auto status = read_environment(context); !status) return status;
  if (auto status = read_export_facts(context, is_utc); !status) return status;
  const std::string& version = context.builder.system.nsys_version;
  context.builder.source = {
      context.database.path().string(),
      version.empty() ? "Nsight Systems, before 2022" : "Nsight Systems " + version,
      context.database.file().bytes()};
  if (auto status = read_facts_of_dlprof(context); !status) return status;
  if (auto status = read_session(context, trace); !status) return status;
  // `nsys export --ts-normalize` counts from 1970.
  if (is_utc && is_plausible_origin(trace.utc_start_ns.value_or(0))) {
    context.origin_ns = *trace.utc_start_ns;
  }
  context.builder.system.profile_name = context.database.path().stem().string();
  return base::Success{};
}

}  // namespace dlview::import::nsys
