#include "report/not_recorded.h"

#include <algorithm>
#include <array>
#include <optional>

#include "profile/recorded.h"

namespace dlview::report {
namespace {

using profile::Evidence;

constexpr std::array<std::string_view, 19> kOfGpuWork{
    "kernel_calls",         "using_tc",
    "num_tc_leaf_ops",      "tc_ops",
    "tc_duration",          "non_tc_duration",
    "memory_duration",      "tc_duration_pct",
    "non_tc_duration_pct",  "memory_duration_pct",
    "gpu_utilization",      "device_gpu_utilization",
    "tc_utilization",       "total_count",
    "using_tc_count",       "memory_count",
    "other_count",          "total_kernel_count",
    "using_tc_kernel_count"};

std::optional<Evidence> evidence_for(std::string_view column) {
  if (column.starts_with("gpu_time") || column.starts_with("gpu_idle") ||
      column.ends_with("_gpu_time") || std::ranges::find(kOfGpuWork, column) != kOfGpuWork.end()) {
    return Evidence::gpu_work;
  }
  if (column.starts_with("cpu_overhead")) return Evidence::api_calls;
  if (column.starts_with("dataloader_duration")) return Evidence::ranges;
  return std::nullopt;
}

}  // namespace

void empty_what_was_not_recorded(Table& table, const profile::Profile& profile) {
  for (Column& column : table.columns) {
    const std::optional<Evidence> evidence = evidence_for(column.id);
    if (!evidence || profile::tells_of(profile, *evidence)) continue;
    column.cell = [](std::size_t) { return Cell(); };
    column.csv_for_missing = csv_for_missing(profile, column.kind == CellKind::real ? "0.0" : "0");
  }
}

std::string_view csv_for_missing(const profile::Profile& profile, std::string_view zero) {
  return profile.trace ? std::string_view() : zero;
}

}  // namespace dlview::report
