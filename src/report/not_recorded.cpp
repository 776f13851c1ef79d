#include "report/not_recorded.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>

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
    "iteration_ops.total_gpu_time",
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

Column* find(Table& table, ColumnName name) {
  const auto found = std::ranges::find(table.columns, name.text(), &Column::id);
  return found == table.columns.end() ? nullptr : &*found;
}

// Of a row, by its text in a column.
using IsUnknown = std::function<bool(std::size_t row)>;

IsUnknown by_texts(const Column& column, std::unordered_set<std::string_view> texts) {
  return [cell = column.cell, texts = std::make_shared<const std::unordered_set<std::string_view>>(
                                  std::move(texts))](std::size_t row) {
    const Cell value = cell(row);
    const auto* text = std::get_if<std::string_view>(&value);
    return text != nullptr && texts->contains(*text);
  };
}

IsUnknown by_name(const Column& names, const profile::Profile& profile,
                  const aggregate::UnknownTensorCoreUse& unknown) {
  std::unordered_set<std::string_view> texts;
  for (profile::StringId name = 0; name < profile.strings.size(); ++name) {
    if (unknown.is_of_name(name)) texts.insert(profile.text(name));
  }
  return by_texts(names, std::move(texts));
}

IsUnknown by_op(const Column& ids, const profile::Profile& profile,
                const aggregate::UnknownTensorCoreUse& unknown) {
  std::unordered_set<std::string_view> texts;
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    if (unknown.is_of_op(op)) texts.insert(profile.text(profile.ops.id[op]));
  }
  return by_texts(ids, std::move(texts));
}

bool is_zero(const Cell& cell) {
  return cell == Cell(false) || cell == Cell(int64_t{0});
}

void empty_zeros(Column* column, const IsUnknown& is_unknown) {
  if (column == nullptr) return;
  column->cell = [cell = column->cell, is_unknown](std::size_t row) {
    const Cell value = cell(row);
    return is_zero(value) && is_unknown(row) ? Cell() : value;
  };
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

void empty_unknown_use(Table& table, const profile::Profile& profile,
                       const aggregate::UnknownTensorCoreUse& unknown) {
  if (unknown.is_empty()) return;
  const Column* id = find(table, "op_node_id");
  const Column* name = find(table, "kernel_name");
  const bool has_launches = find(table, "kernel_timestamp") != nullptr;
  const bool tells_rules = find(table, "tc_by_rules") != nullptr;
  if (has_launches || tells_rules) return;
  if (name != nullptr && id != nullptr) {
    const IsUnknown of_name = by_name(*name, profile, unknown),
                    of_op = by_op(*id, profile, unknown);
    return empty_zeros(find(table, "uses_tc"),
                       [of_name, of_op](std::size_t row) { return of_op(row) && of_name(row); });
  }
  if (name != nullptr) return empty_zeros(find(table, "uses_tc"), by_name(*name, profile, unknown));
  if (id == nullptr) return;
  IsUnknown of_op = by_op(*id, profile, unknown);
  if (const Column* kernels = find(table, "kernel_calls")) {
    of_op = [of_op, count = kernels->cell](std::size_t row) {
      return !is_zero(count(row)) && of_op(row);
    };
  }
  for (const ColumnName column :
       {ColumnName("using_tc"), ColumnName("tc_gpu_time"), ColumnName("tc_count")}) {
    empty_zeros(find(table, column), of_op);
  }
}

Cell csv_for_missing(const profile::Profile& profile, const Cell& zero) {
  return profile.trace ? Cell() : zero;
}

}  // namespace dlview::report
