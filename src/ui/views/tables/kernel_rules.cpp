#include "ui/views/tables/kernel_rules.h"

#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "profile/tensor_core_verdicts.h"

namespace dlview::ui {

void add_tensor_core_rules(TableData& data, const report::ViewArguments& arguments) {
  const profile::Profile& profile = *data.profile;
  report::Table& table = data.table;
  using Key = std::pair<std::string_view, std::string_view>;  // id of the op, name of the kernel
  const auto verdicts = std::make_shared<std::map<Key, profile::TensorCoreVerdict>>();
  const bool by_name = find_column(table, "kernel_timestamp") == kNoColumn;
  const std::size_t wanted = by_name ? table.row_count : SIZE_MAX;
  const auto& iterations = data.aggregation->iteration_table->iterations.rows;
  const aggregate::IterationRange& range = data.aggregation->selection.range;
  const auto first = static_cast<std::size_t>(arguments.iteration.value_or(range.first));
  const auto last = static_cast<std::size_t>(arguments.iteration.value_or(range.last));
  const std::set<profile::Row> ops(arguments.ops.begin(), arguments.ops.end());
  profile::TensorCoreVerdicts rules(profile);
  const auto& instances = profile.instances;
  for (auto i = iterations[first].first_instance;
       i < iterations[last].last_instance && verdicts->size() < wanted; ++i) {
    if (!ops.empty() && !ops.contains(instances.op[i])) continue;
    const std::string_view op = profile.text(profile.ops.id[instances.op[i]]);
    for (auto k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      verdicts->emplace(Key{op, profile.text(profile.kernels.name[k])}, rules.of(k));
    }
  }
  const auto verdict =
      [verdicts, op = table.columns[find_column(table, "op_node_id")].cell,
       name = table.columns[find_column(table, "kernel_name")].cell](std::size_t row) {
        const report::Cell op_cell = op(row), name_cell = name(row);
        const auto found = verdicts->find(
            {std::get<std::string_view>(op_cell), std::get<std::string_view>(name_cell)});
        return found == verdicts->end() ? profile::TensorCoreVerdict{} : found->second;
      };
  report::Column& uses = table.columns[find_column(table, "uses_tc")];
  uses.cell = [flag = uses.cell, verdict](std::size_t row) {
    const report::Cell cell = flag(row);
    const bool unknown = verdict(row).use == profile::TensorCoreUse::unknown;
    return unknown && cell == report::Cell(false) ? report::Cell() : cell;
  };
  table.columns.push_back(
      report::word_column("tc_by_rules", "Using TC by the Rules",
                          [verdict](std::size_t row) { return to_text(verdict(row).use); }));
  table.columns.push_back(report::word_column(
      "tc_rule", "Rule", [verdict](std::size_t row) { return verdict(row).rule; }));
}

std::string reason_of_use(const report::Table& table, std::size_t row) {
  const std::string present = report::to_text(table.cell(row, find_column(table, "tc_by_rules")));
  const std::string rule = report::to_text(table.cell(row, find_column(table, "tc_rule")));
  const std::string by =
      rule.empty() ? "no rule knows its name" : fmt::format("by its name, rule \"{}\"", rule);
  const bool counted = table.cell(row, find_column(table, "uses_tc")) == report::Cell(true);
  if (present == "unknown") {
    return fmt::format("Unknown: {}. Counts as {}using Tensor Cores", by, counted ? "" : "not ");
  }
  const bool uses = present == "yes";
  const std::string verdict = uses ? "Uses Tensor Cores" : "Uses none";
  if (uses == counted) return fmt::format("{}: {}", verdict, by);
  return fmt::format("{}: {}. The database has it otherwise, and the numbers follow that", verdict,
                     by);
}

}  // namespace dlview::ui
