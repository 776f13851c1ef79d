#include "report/not_recorded.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "aggregate/recorded.h"
#include "profile/recorded.h"
#include "report/columns.h"

namespace dlview::report {
namespace {

using profile::Evidence;

// Columns of DLProf's reports alone have ids of their own.
constexpr ColumnName of_dlprof(std::string_view id) {
  return ColumnName(id);
}

constexpr auto kOfGpuWork = std::to_array<ColumnName>({
    // ops and groups
    "op_nodes.gpu_time",
    "op_nodes.total_gpu_time",
    "self_gpu_time",
    "using_tc",
    "kernel_calls",
    "gpu_time_sum",
    "gpu_time_avg",
    "gpu_time_min",
    "gpu_time_max",
    "gpu_time_share",
    "gpu_time_per_iteration",
    "gpu_time_over_iterations",
    "gpu_time_total",
    "gpu_time_self",
    "gpu_idle_sum",
    "gpu_idle_avg",
    "gpu_idle_min",
    "gpu_idle_max",
    "num_tc_leaf_ops",
    "module_gpu_total",
    "module_gpu_forward",
    "module_gpu_backward",
    "module_gpu_self",
    "torch_op_gpu_self",
    "torch_op_gpu_total",
    of_dlprof("tc_ops"),
    // kernels
    "tc_gpu_time",
    of_dlprof("non_tc_gpu_time"),
    "iteration_ops.total_count",
    "total_kernel_count",
    "using_tc_kernel_count",
    "using_tc_gpu_time",
    "using_tc_count",
    "memory_gpu_time",
    "memory_count",
    "other_gpu_time",
    "other_count",
    "nodes_total_gpu_time",
    "nodes_using_tc_gpu_time",
    "nodes_tc_eligible_gpu_time",
    "nodes_other_gpu_time",
    // the range
    "tc_duration",
    "non_tc_duration",
    "memory_duration",
    "tc_duration_pct",
    "non_tc_duration_pct",
    "memory_duration_pct",
    "tc_utilization",
    "tc_utilization_known",
    "gpu_utilization",
    "device_gpu_utilization",
});
constexpr auto kOfApiCalls =
    std::to_array<ColumnName>({"cpu_overhead_sum", "cpu_overhead_avg", "cpu_overhead_min",
                               "cpu_overhead_max", "torch_op_api_self"});
constexpr auto kOfDataLoader =
    std::to_array<ColumnName>({"dataloader_duration", "dataloader_duration_pct"});
constexpr auto kOfEligibility =
    std::to_array<ColumnName>({"num_supported_leaf_ops", "nodes_tc_eligible_gpu_time",
                               "nodes_tc_eligible_count", of_dlprof("eligible_ops")});
// Only if no op is known to be eligible.
constexpr auto kOfEfficiency =
    std::to_array<ColumnName>({"tc_utilization", "tc_utilization_known"});

template <std::size_t N>
bool is_among(const std::array<ColumnName, N>& columns, std::string_view id) {
  return std::ranges::find(columns, id, &ColumnName::text) != columns.end();
}

std::optional<Evidence> evidence_for(std::string_view column) {
  if (is_among(kOfGpuWork, column)) return Evidence::gpu_work;
  if (is_among(kOfApiCalls, column)) return Evidence::api_calls;
  if (is_among(kOfDataLoader, column)) return Evidence::data_loader;
  return std::nullopt;
}

// Where nothing tells which ops could use Tensor Cores, none of them counts as one that could.
bool is_of_eligibility(std::string_view column, const aggregate::Aggregation& aggregation) {
  return is_among(kOfEligibility, column) ||
         (is_among(kOfEfficiency, column) && aggregation.eligible_kernel_ns == 0);
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
