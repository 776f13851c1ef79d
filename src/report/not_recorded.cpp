#include "report/not_recorded.h"

#include <algorithm>
#include <array>
#include <optional>

#include "aggregate/recorded.h"
#include "profile/recorded.h"

namespace dlview::report {
namespace {

using profile::Evidence;

constexpr std::array<std::string_view, 18> kOfGpuWork{
    "kernel_calls",        "using_tc",
    "num_tc_leaf_ops",     "tc_ops",
    "tc_duration",         "non_tc_duration",
    "memory_duration",     "tc_duration_pct",
    "non_tc_duration_pct", "memory_duration_pct",
    "gpu_utilization",     "device_gpu_utilization",
    "total_count",         "using_tc_count",
    "memory_count",        "other_count",
    "total_kernel_count",  "using_tc_kernel_count"};

std::optional<Evidence> evidence_for(std::string_view column) {
  if (column.starts_with("gpu_time") || column.starts_with("tc_utilization") ||
      column.starts_with("gpu_idle") || column.ends_with("_gpu_time") ||
      column.starts_with("module_gpu") || column.starts_with("torch_op_gpu") ||
      std::ranges::find(kOfGpuWork, column) != kOfGpuWork.end()) {
    return Evidence::gpu_work;
  }
  if (column.starts_with("cpu_overhead") || column == "torch_op_api_self")
    return Evidence::api_calls;
  if (column.starts_with("dataloader_duration")) return Evidence::data_loader;
  return std::nullopt;
}

// Where nothing tells which ops could use Tensor Cores, none of them counts as one that could.
bool is_of_eligibility(std::string_view column, const aggregate::Aggregation& aggregation) {
  return column == "num_supported_leaf_ops" || column == "eligible_ops" ||
         column.starts_with("nodes_tc_eligible") ||
         (column.starts_with("tc_utilization") && aggregation.eligible_kernel_ns == 0);
}

Cell zero_of(const Column& column) {
  if (column.kind == CellKind::flag) return false;
  return column.kind == CellKind::real ? Cell(0.0) : Cell(int64_t{0});
}

}  // namespace

void empty_what_was_not_recorded(Table& table, const profile::Profile& profile,
                                 const aggregate::Aggregation& aggregation) {
  const bool tells_eligibility = aggregate::tells_eligibility(profile, aggregation);
  for (Column& column : table.columns) {
    const std::optional<Evidence> evidence = evidence_for(column.id);
    const bool is_told = (!evidence || profile::tells_of(profile, *evidence)) &&
                         (tells_eligibility || !is_of_eligibility(column.id, aggregation));
    if (is_told) continue;
    column.cell = [](std::size_t) { return Cell(); };
    column.csv_for_missing = csv_for_missing(profile, zero_of(column));
  }
}

Cell csv_for_missing(const profile::Profile& profile, const Cell& zero) {
  return profile.trace ? Cell() : zero;
}

}  // namespace dlview::report
