#include <memory>
#include <optional>
#include <string>

#include "aggregate/advice.h"
#include "aggregate/group_tree.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/nesting.h"
#include "profile/recorded.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::GroupAggregate;
using aggregate::KernelAggregate;
using aggregate::OpAggregate;
using aggregate::Stats;
using aggregate::TimeStats;

template <typename T>
using Rows = std::shared_ptr<const std::vector<const T*>>;

// Those that the arguments let pass, in the aggregation's order.
template <typename T>
Rows<T> rows_of_ops(const Input& input, const std::vector<T>& all) {
  std::vector<const T*> rows;
  for (const T& row : all) {
    if (input.has_op(row.op)) rows.push_back(&row);
  }
  return std::make_shared<const std::vector<const T*>>(std::move(rows));
}

using TimesOf = std::function<const TimeStats&(std::size_t row)>;

struct TimeColumns {
  Stats TimeStats::*stats;
  ColumnId sum, average, min, max;
};
constexpr TimeColumns kTimeColumns[] = {
    {&TimeStats::cpu, "cpu_time_sum", "cpu_time_avg", "cpu_time_min", "cpu_time_max"},
    {&TimeStats::gpu, "gpu_time_sum", "gpu_time_avg", "gpu_time_min", "gpu_time_max"},
    {&TimeStats::overhead, "cpu_overhead_sum", "cpu_overhead_avg", "cpu_overhead_min",
     "cpu_overhead_max"},
    {&TimeStats::idle, "gpu_idle_sum", "gpu_idle_avg", "gpu_idle_min", "gpu_idle_max"}};

// The sums of four times, or all of what is kept of them.
void append_times(std::vector<Column>& columns, const TimesOf& times, bool sums_only) {
  for (const TimeColumns& time : kTimeColumns) {
    const auto stats = [times, member = time.stats](std::size_t row) -> const Stats& {
      return times(row).*member;
    };
    columns.push_back(column(time.sum, [stats](std::size_t row) { return stats(row).sum; }));
    if (sums_only) continue;
    columns.push_back(
        column(time.average, [stats](std::size_t row) { return stats(row).average(); }));
    columns.push_back(column(time.min, [stats](std::size_t row) { return stats(row).min; }));
    columns.push_back(column(time.max, [stats](std::size_t row) { return stats(row).max; }));
  }
}

// A row of group_ops: a group or an op, the other is null.
struct GroupOrOp {
  const GroupAggregate* group = nullptr;
  const OpAggregate* op = nullptr;
};

class GroupOps {
 public:
  explicit GroupOps(const Input& input)
      : profile_(input.profile), tree_(*input.aggregation.group_tree) {
    for (const GroupAggregate& group : input.aggregation.groups) rows_.push_back({&group, nullptr});
    for (const OpAggregate& op : input.aggregation.ops) rows_.push_back({nullptr, &op});
  }

  std::size_t size() const { return rows_.size(); }
  bool is_group(std::size_t row) const { return rows_[row].group != nullptr; }
  std::string_view id(std::size_t row) const {
    return is_group(row) ? name(row) : profile_.text(profile_.ops.id[rows_[row].op->op]);
  }
  std::string_view name(std::size_t row) const {
    const auto& [group, op] = rows_[row];
    if (group == nullptr) return profile_.text(profile_.ops.name[op->op]);
    return aggregate::group_name(profile_, tree_.groups[group->group]);
  }
  // The last name of the path; the '/' that ends a group's is no part of it.
  std::string_view last_word(std::size_t row) const {
    return is_group(row) ? aggregate::last_name(profile_, tree_, rows_[row].group->group)
                         : profile::last_name(profile_, name(row));
  }
  int64_t level(std::size_t row) const {
    return is_group(row) ? tree_.groups[rows_[row].group->group].level
                         : aggregate::op_level(profile_, name(row));
  }
  int64_t instances(std::size_t row) const {
    const auto& [group, op] = rows_[row];
    return group != nullptr ? group->instance_count : op->times.count();
  }
  int64_t eligible_ops(std::size_t row) const {
    const auto& [group, op] = rows_[row];
    return group != nullptr ? group->eligible_ops : profile_.is_eligible(op->op);
  }
  int64_t tensor_core_ops(std::size_t row) const {
    const auto& [group, op] = rows_[row];
    return group != nullptr ? group->tensor_core_ops : op->uses_tensor_cores();
  }
  const TimeStats& times(std::size_t row) const {
    const auto& [group, op] = rows_[row];
    return group != nullptr ? group->times : op->times;
  }

 private:
  const profile::Profile& profile_;
  const aggregate::GroupTree& tree_;
  std::vector<GroupOrOp> rows_;
};

}  // namespace

Table op_nodes(const Input& input) {
  const profile::Profile& profile = input.profile;
  const auto rows = rows_of_ops(input, input.aggregation.ops);
  const auto aggregate = [rows](std::size_t row) -> const OpAggregate& { return *(*rows)[row]; };
  const auto op = [rows](std::size_t row) { return (*rows)[row]->op; };

  Table table = table_of_domain(input, rows->size());
  auto& columns = table.columns;
  columns.push_back(column("op_nodes.gpu_time",
                           [aggregate](std::size_t row) { return aggregate(row).times.gpu.sum; }));
  columns.push_back(
      column("cpu_time", [aggregate](std::size_t row) { return aggregate(row).times.cpu.sum; }));
  columns.push_back(op_column(input, OpText::name, op));
  columns.push_back(op_column(input, OpText::direction, op));
  columns.push_back(op_column(input, OpText::type, op));
  columns.push_back(
      column("num_calls", [aggregate](std::size_t row) { return aggregate(row).times.count(); }));
  columns.push_back(eligibility_column(input, op));
  columns.push_back(column(
      "using_tc", [aggregate](std::size_t row) { return aggregate(row).uses_tensor_cores(); }));
  columns.push_back(column(
      "kernel_calls", [aggregate](std::size_t row) { return aggregate(row).kernel_gpu.count; }));
  columns.push_back(column("is_bad_data_type", [&profile, op](std::size_t row) {
    return profile.is_eligible(op(row)) &&
           profile.text(profile.ops.data_type[op(row)]) == aggregate::kBadDataType;
  }));
  columns.push_back(op_column(input, OpText::data_type, op));
  columns.push_back(op_column(input, OpText::stack_trace, op));
  columns.push_back(op_column(input, OpText::id, op));
  return table;
}

Table op_type_summary(const Input& input) {
  const auto& types = input.aggregation.op_types;
  Table table = table_of_domain(input, types.size());
  table.columns.push_back(
      column("op_node_type", [&profile = input.profile, &types](std::size_t row) {
        return profile.text(types[row].type);
      }));
  table.columns.push_back(
      column("num_nodes", [&types](std::size_t row) { return types[row].op_count; }));
  table.columns.push_back(
      column("num_calls", [&types](std::size_t row) { return types[row].times.count(); }));
  append_times(
      table.columns, [&types](std::size_t row) -> const TimeStats& { return types[row].times; },
      false);
  return table;
}

Table group_ops(const Input& input) {
  const auto rows = std::make_shared<const GroupOps>(input);
  Table table = table_of_domain(input, rows->size());
  auto& columns = table.columns;
  const auto append = [&](ColumnId id, auto member) {
    columns.push_back(
        column(id, [rows, member](std::size_t row) { return ((*rows).*member)(row); }));
  };
  columns.push_back(column(
      "row_type", [rows](std::size_t row) { return rows->is_group(row) ? kGroupRow : kOpRow; }));
  append("row_full_id", &GroupOps::id);
  append("row_full_name", &GroupOps::name);
  append("row_trimmed_name", &GroupOps::last_word);
  append("level", &GroupOps::level);
  append("num_op_instances", &GroupOps::instances);
  append("num_supported_leaf_ops", &GroupOps::eligible_ops);
  append("num_tc_leaf_ops", &GroupOps::tensor_core_ops);
  append_times(
      columns, [rows](std::size_t row) -> const TimeStats& { return rows->times(row); }, true);
  return table;
}

Table kernel_summaries(const Input& input) {
  const auto rows = rows_of_ops(input, input.aggregation.kernels);
  const auto kernel = [rows](std::size_t row) -> const KernelAggregate& { return *(*rows)[row]; };
  Table table = table_of_domain(input, rows->size());
  auto& columns = table.columns;
  columns.push_back(
      op_column(input, OpText::id, [rows](std::size_t row) { return (*rows)[row]->op; }));
  columns.push_back(column("kernel_name", [&profile = input.profile, kernel](std::size_t row) {
    return profile.text(kernel(row).name);
  }));
  columns.push_back(
      column("uses_tc", [kernel](std::size_t row) { return kernel(row).uses_tensor_cores; }));
  columns.push_back(column("calls", [kernel](std::size_t row) { return kernel(row).gpu.count; }));
  columns.push_back(column("kernel_summaries.gpu_time",
                           [kernel](std::size_t row) { return kernel(row).gpu.sum; }));
  columns.push_back(column("avg", [kernel](std::size_t row) { return kernel(row).gpu.average(); }));
  columns.push_back(column("min", [kernel](std::size_t row) { return kernel(row).gpu.min; }));
  columns.push_back(column("max", [kernel](std::size_t row) { return kernel(row).gpu.max; }));
  return table;
}

Table tc_kernels(const Input& input) {
  const auto& filters = input.aggregation.selection.filters;
  std::optional<aggregate::RowFilter> filter;
  if (!filters.empty()) filter.emplace(input.profile, filters);
  const auto& iterations = input.aggregation.iteration_table->iterations.rows;
  const aggregate::IterationRange range = input.iterations();
  using Uses = std::vector<aggregate::TensorCoreUses>;
  const auto rows = std::make_shared<const Uses>(aggregate::tensor_core_uses(
      input.profile, iterations[static_cast<std::size_t>(range.first)].first_instance,
      iterations[static_cast<std::size_t>(range.last)].last_instance, filter ? &*filter : nullptr));
  Table table;
  table.row_count = rows->size();
  table.columns = {
      column("kernel_name", [&profile = input.profile,
                             rows](std::size_t row) { return profile.text((*rows)[row].name); }),
      column("uses_tc", [rows](std::size_t row) { return (*rows)[row].counted; }),
      column("tc_by_rules",
             [rows](std::size_t row) { return profile::to_text((*rows)[row].present.use); }),
      column("tc_rule", [rows](std::size_t row) { return rule_text((*rows)[row].present); }),
      column("differs", [rows](std::size_t row) { return (*rows)[row].differs(); }),
      column("calls", [rows](std::size_t row) { return (*rows)[row].launches; }),
      column("tc_kernels.gpu_time", [rows](std::size_t row) { return (*rows)[row].gpu_ns; }),
  };
  return table;
}

}  // namespace dlview::report::view
