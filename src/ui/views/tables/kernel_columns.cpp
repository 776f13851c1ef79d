#include "ui/views/tables/kernel_columns.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "aggregate/communication_ops.h"
#include "aggregate/row_filter.h"
#include "base/units.h"
#include "profile/tensor_core_verdicts.h"
#include "report/not_recorded.h"
#include "ui/explanations.h"

namespace dlview::ui {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::TensorCoreUse;
using profile::TensorCoreVerdict;
using report::Table;

// Instead of a rule: several rules, or none for some of the kernels.
constexpr std::string_view kSeveralRules = "several";

// In the order in which the views list them.
std::vector<KernelIndex> kernels_of(const TableData& data, const report::ViewArguments& arguments) {
  const profile::Profile& profile = *data.profile;
  const aggregate::Selection& selection = data.aggregation->selection;
  const aggregate::RowFilter filter(profile, selection.filters);
  const auto& iterations = data.aggregation->iteration_table->iterations.rows;
  const auto first = static_cast<std::size_t>(arguments.iteration.value_or(selection.range.first));
  const auto last = static_cast<std::size_t>(arguments.iteration.value_or(selection.range.last));
  const std::set<OpIndex> ops(arguments.ops.begin(), arguments.ops.end());
  const auto& instances = profile.instances;
  std::vector<KernelIndex> kernels;
  for (InstanceIndex i = iterations[first].first_instance; i < iterations[last].last_instance;
       ++i) {
    if (!ops.empty() && !ops.contains(instances.op[i])) continue;
    for (KernelIndex k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      if (filter.counts_kernel(k)) kernels.push_back(k);
    }
  }
  return kernels;
}

std::vector<TensorCoreVerdict> by_launch(const TableData& data,
                                         const std::vector<KernelIndex>& kernels) {
  profile::TensorCoreVerdicts rules(*data.profile);
  std::vector<TensorCoreVerdict> verdicts;
  verdicts.reserve(kernels.size());
  for (const KernelIndex kernel : kernels) verdicts.push_back(rules.of(kernel));
  return verdicts;
}

void merge(TensorCoreVerdict& verdict, const TensorCoreVerdict& other) {
  if (other.rule != verdict.rule) verdict.rule = kSeveralRules;
  if (other.use != verdict.use) verdict.use = TensorCoreUse::unknown;
}

// Kernels of one op and one name may be different ones, or run on different GPUs.
std::vector<TensorCoreVerdict> by_name(const TableData& data,
                                       const std::vector<KernelIndex>& kernels) {
  const profile::Profile& profile = *data.profile;
  profile::TensorCoreVerdicts rules(profile);
  std::map<std::pair<profile::StringId, profile::StringId>, TensorCoreVerdict> known;
  for (const KernelIndex kernel : kernels) {
    const OpIndex op = profile.instances.op[profile.kernels.instance[kernel]];
    const TensorCoreVerdict verdict = rules.of(kernel);
    const auto [entry, added] =
        known.try_emplace({profile.ops.id[op], profile.kernels.name[kernel]}, verdict);
    if (!added) merge(entry->second, verdict);
  }
  std::map<std::pair<std::string_view, std::string_view>, TensorCoreVerdict> by_text;
  for (const auto& [ids, verdict] : known) {
    by_text.insert({{profile.text(ids.first), profile.text(ids.second)}, verdict});
  }
  const auto text_in = [&table = data.table](std::size_t row, report::ColumnId column) {
    return std::get<std::string_view>(table.cell(row, find_column(table, column)));
  };
  std::vector<TensorCoreVerdict> verdicts;
  for (std::size_t row = 0; row < data.table.row_count; ++row) {
    verdicts.push_back(by_text[{text_in(row, "op_node_id"), text_in(row, "kernel_name")}]);
  }
  return verdicts;
}

constexpr report::ColumnId kKernelTime = "kernel_time";
constexpr report::ColumnId kTensorCoreTime = "tensor_core_time";
constexpr report::ColumnId kCommunicationTime = "communication_time";

}  // namespace

void add_tensor_core_rules(TableData& data, const report::ViewArguments& arguments) {
  Table& table = data.table;
  const std::vector<KernelIndex> kernels = kernels_of(data, arguments);
  const bool has_launches = find_column(table, "kernel_timestamp") != kNoColumn;
  const auto verdicts = std::make_shared<const std::vector<TensorCoreVerdict>>(
      has_launches ? by_launch(data, kernels) : by_name(data, kernels));
  report::Column& uses = table.columns[find_column(table, "uses_tc")];
  uses.cell = [flag = uses.cell, verdicts](std::size_t row) {
    const report::Cell cell = flag(row);
    const bool unknown = (*verdicts)[row].use == TensorCoreUse::unknown;
    return unknown && cell == report::Cell(false) ? report::Cell() : cell;
  };
  table.columns.push_back(report::column(
      "tc_by_rules", [verdicts](std::size_t row) { return to_text((*verdicts)[row].use); }));
  table.columns.push_back(report::column(
      "tc_rule", [verdicts](std::size_t row) { return rule_text((*verdicts)[row]); }));
}

std::shared_ptr<const TableData> MarkedTable::of(const std::shared_ptr<const TableData>& data,
                                                 const UnknownUse& unknown) {
  if (data_ == data && unknown_ == unknown) return marked_;
  data_ = data;
  unknown_ = unknown;
  marked_ = data;
  if (!data || !unknown) return marked_;
  const auto marked = std::make_shared<TableData>(*data);
  report::empty_unknown_use(marked->table, *marked->profile, *unknown);
  marked_ = marked;
  return marked_;
}

std::string reason_of_use(const Table& table, std::size_t row) {
  const std::string present = report::to_text(table.cell(row, find_column(table, "tc_by_rules")));
  const std::string rule = report::to_text(table.cell(row, find_column(table, "tc_rule")));
  const std::string by = rule == profile::kNoRule ? "no rule matches its name"
                         : rule == kSeveralRules  ? "its kernels match different rules"
                                                  : fmt::format("by its name, rule \"{}\"", rule);
  const report::Cell cell = table.cell(row, find_column(table, "uses_tc"));
  const bool counted = cell == report::Cell(true);
  if (present == "unknown") {
    if (std::holds_alternative<std::monostate>(cell)) return fmt::format("Unknown: {}", by);
    return fmt::format("Unknown: {}. The database counts it as {}using Tensor Cores", by,
                       counted ? "" : "not ");
  }
  const bool uses = present == "yes";
  const std::string verdict = uses ? "Uses Tensor Cores" : "Uses no Tensor Cores";
  if (uses == counted) return fmt::format("{}: {}", verdict, by);
  return fmt::format("{}: {}. The database flag differs, and the numbers use it", verdict, by);
}

void add_communication(TableData& data, const report::ViewArguments&) {
  const std::vector<int64_t> times =
      aggregate::communication_of_ops(*data.profile, *data.aggregation);
  if (times.empty()) return;
  const auto ids = std::make_shared<std::set<std::string_view>>();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const aggregate::OpAggregate& op = data.aggregation->ops[i];
    if (aggregate::communicates(op, times[i])) {
      ids->insert(data.profile->text(data.profile->ops.id[op.op]));
    }
  }
  data.table.columns.push_back(report::column(
      "communicates", [ids, id = cells_of(data.table, "op_node_id")](std::size_t row) {
        return ids->contains(report::to_text(id(row)));
      }));
}

void KernelTimes::add(const aggregate::OpAggregate& op, int64_t op_communication_ns) {
  all_ns += op.kernel_gpu.sum;
  tensor_core_ns += op.tensor_core_gpu_ns;
  communication_ns += op_communication_ns;
}

void add_kernel_columns(report::Table& table, std::vector<KernelTimes> times) {
  const auto kept = std::make_shared<const std::vector<KernelTimes>>(std::move(times));
  const auto add = [&](report::ColumnId id, int64_t KernelTimes::*time) {
    table.columns.push_back(
        report::column(id, [kept, time](std::size_t row) { return (*kept)[row].*time; }));
  };
  add(kKernelTime, &KernelTimes::all_ns);
  add(kTensorCoreTime, &KernelTimes::tensor_core_ns);
  add(kCommunicationTime, &KernelTimes::communication_ns);
}

TimeParts gpu_time_parts(const report::Table& table, std::size_t row) {
  const double all = number_of(cell_in(table, row, "gpu_time_sum"));
  const double kernels = number_of(cell_in(table, row, kKernelTime));
  const double of_kernels = std::min(kernels, all);
  const auto part_of_kernels = [&](report::ColumnId sum) {
    return kernels == 0 ? 0 : of_kernels * number_of(cell_in(table, row, sum)) / kernels;
  };
  const double tensor_cores = part_of_kernels(kTensorCoreTime);
  const double communication = part_of_kernels(kCommunicationTime);
  return {{{Tone::tensor_core_kernels, tensor_cores},
           {Tone::other_kernels, of_kernels - tensor_cores - communication},
           {Tone::communication, communication},
           {Tone::memory, all - of_kernels}}};
}

std::string kernel_times_text(const report::Table& table, std::size_t row) {
  const double all = number_of(cell_in(table, row, kKernelTime));
  const double tensor_cores = number_of(cell_in(table, row, kTensorCoreTime));
  const double communication = number_of(cell_in(table, row, kCommunicationTime));
  if (all == 0) return "";
  std::string text =
      fmt::format("Kernels (sum): Tensor Cores {} · others {}", base::format_duration(tensor_cores),
                  base::format_duration(all - tensor_cores - communication));
  if (communication > 0) text += " · communication " + base::format_duration(communication);
  return text;
}

}  // namespace dlview::ui
