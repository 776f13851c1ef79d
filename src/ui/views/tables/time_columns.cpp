#include "ui/views/tables/time_columns.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "aggregate/kernels_by_name.h"
#include "aggregate/self_time.h"
#include "aggregate/times_over_iterations.h"
#include "report/views/time_shares.h"
#include "ui/background.h"
#include "ui/table/sparklines.h"
#include "ui/views/tables/kernel_columns.h"

namespace dlview::ui {
namespace {

using aggregate::Aggregation;
using aggregate::GroupAggregate;
using aggregate::OpAggregate;
using aggregate::RowsOfOps;
using profile::KernelIndex;
using profile::kNoRow;
using profile::OpIndex;
using report::Cell;

bool has_several_iterations(const TableData& data) {
  return data.aggregation->selection.range.size() > 1;
}

bool has_sparklines(const TableData& data) {
  return data.sparklines != nullptr;
}

void add_sparklines(TableData& data, Sparklines::Make make) {
  if (!has_several_iterations(data) || data.table.row_count > kMostSparklineRows) return;
  data.sparklines = std::make_shared<Sparklines>(has_few_events(*data.profile), std::move(make));
}

// The ops of op_nodes and kernel_summaries: as sorted, for a quick look-up.
class ChosenOps {
 public:
  explicit ChosenOps(std::vector<OpIndex> ops) : ops_(std::move(ops)) { std::ranges::sort(ops_); }
  bool contains(OpIndex op) const { return ops_.empty() || std::ranges::binary_search(ops_, op); }

 private:
  std::vector<OpIndex> ops_;
};

// The rows of op_nodes with these arguments.
RowsOfOps rows_of_op_table(const profile::Profile& profile, const Aggregation& aggregation,
                           const std::vector<OpIndex>& ops) {
  const ChosenOps chosen(ops);
  RowsOfOps rows{0, std::vector<uint32_t>(profile.ops.size(), kNoRow)};
  for (const OpAggregate& op : aggregation.ops) {
    if (chosen.contains(op.op)) rows.row_of_op[op.op] = static_cast<uint32_t>(rows.row_count++);
  }
  return rows;
}

RowsOfOps rows_of_types(const profile::Profile& profile, const Aggregation& aggregation) {
  std::unordered_map<profile::StringId, uint32_t> row_of_type;
  for (const auto& type : aggregation.op_types) {
    row_of_type.emplace(type.type, static_cast<uint32_t>(row_of_type.size()));
  }
  RowsOfOps rows{aggregation.op_types.size(), {}};
  for (const profile::StringId type : profile.ops.type) {
    const auto row = row_of_type.find(type);
    rows.row_of_op.push_back(row == row_of_type.end() ? kNoRow : row->second);
  }
  return rows;
}

RowsOfOps rows_of_groups(const profile::Profile& profile, const Aggregation& aggregation,
                         const RowTree& tree) {
  static_assert(RowTree::kTop == kNoRow);
  RowsOfOps rows{tree.parent.size(), std::vector<uint32_t>(profile.ops.size(), kNoRow),
                 tree.parent};
  auto row = static_cast<uint32_t>(aggregation.groups.size());  // the ops stand after them
  for (const OpAggregate& op : aggregation.ops) rows.row_of_op[op.op] = row++;
  return rows;
}

// As in kernel_times_over_iterations().
using RowOfKernel = std::function<uint32_t(OpIndex, KernelIndex)>;

uint64_t kernel_key(OpIndex op, profile::StringId name) {
  return (uint64_t{op} << 32) | name;
}

// The rows of kernel_summaries with these arguments.
RowOfKernel row_of_kernel_table(const profile::Profile& profile, const Aggregation& aggregation,
                                const std::vector<OpIndex>& ops) {
  const ChosenOps chosen(ops);
  auto rows = std::make_shared<std::unordered_map<uint64_t, uint32_t>>();
  for (const aggregate::KernelAggregate& kernel : aggregation.kernels) {
    if (!chosen.contains(kernel.op)) continue;
    rows->emplace(kernel_key(kernel.op, kernel.name), static_cast<uint32_t>(rows->size()));
  }
  return [rows, &names = profile.kernels.name](OpIndex op, KernelIndex kernel) {
    const auto row = rows->find(kernel_key(op, names[kernel]));
    return row == rows->end() ? kNoRow : row->second;
  };
}

// The rows of kernel_names.
RowOfKernel row_of_kernel_names(const profile::Profile& profile, const Aggregation& aggregation) {
  const auto rows = std::make_shared<std::vector<uint32_t>>(profile.strings.size(), kNoRow);
  uint32_t row = 0;
  for (const aggregate::NamedKernels& kernels : aggregate::kernels_by_name(aggregation)) {
    (*rows)[kernels.name] = row++;
  }
  return [rows, &names = profile.kernels.name](OpIndex, KernelIndex kernel) {
    return (*rows)[names[kernel]];
  };
}

// By row; not recorded where `like` is not.
void add_times(TableData& data, report::ColumnId id, report::ColumnId like,
               std::vector<int64_t> times) {
  const auto kept = std::make_shared<const std::vector<int64_t>>(std::move(times));
  data.table.columns.push_back(
      report::column(id, [kept, cell = cells_of(data.table, like)](std::size_t row) -> Cell {
        if (std::holds_alternative<std::monostate>(cell(row))) return {};
        return (*kept)[row];
      }));
}

void add_total_times(TableData& data, const std::vector<OpIndex>& ops) {
  const Aggregation& aggregation = *data.aggregation;
  const aggregate::GroupTree& tree = *aggregation.group_tree;
  const ChosenOps chosen(ops);
  std::vector<int64_t> totals;
  for (const OpAggregate& op : aggregation.ops) {
    if (!chosen.contains(op.op)) continue;
    totals.push_back(op.times.gpu.sum);
    if (!aggregate::is_self_time(*data.profile, tree, op.op)) continue;
    const auto group = std::ranges::lower_bound(aggregation.groups, tree.group_of_op[op.op], {},
                                                &GroupAggregate::group);
    totals.back() = group->times.gpu.sum;
  }
  add_times(data, "op_nodes.gpu_time_total", "op_nodes.gpu_time", std::move(totals));
}

void add_self_times(TableData& data) {
  const Aggregation& aggregation = *data.aggregation;
  const std::size_t groups = aggregation.groups.size();
  std::vector<int64_t> gpu(groups), cpu(groups);
  for (std::size_t i = 0; i < aggregation.ops.size(); ++i) {
    const OpAggregate& op = aggregation.ops[i];
    gpu.push_back(op.times.gpu.sum);
    cpu.push_back(op.times.cpu.sum);
    if (!aggregate::is_self_time(*data.profile, *aggregation.group_tree, op.op)) continue;
    const uint32_t group = data.tree->parent[groups + i];
    gpu[group] += op.times.gpu.sum;
    cpu[group] += op.times.cpu.sum;
  }
  add_times(data, "group_ops.gpu_time_self", "gpu_time_sum", std::move(gpu));
  add_times(data, "group_ops.cpu_time_self", "cpu_time_sum", std::move(cpu));
}

// The column of the sparklines; its cells are for sorting.
void add_over_iterations(TableData& data, report::ColumnId gpu_time) {
  data.table.columns.push_back(
      report::divided_column("gpu_time_over_iterations", cells_of(data.table, gpu_time),
                             static_cast<double>(data.aggregation->selection.range.size())));
}

// `total_ns` is 100%.
void add_time_columns(TableData& data, report::ColumnId gpu_time, int64_t total_ns) {
  report::append_time_shares(data.table.columns, cells_of(data.table, gpu_time), total_ns,
                             *data.aggregation);
  add_over_iterations(data, gpu_time);
}

void add_op_sparklines(TableData& data, std::function<RowsOfOps()> rows) {
  add_sparklines(data,
                 [profile = data.profile, aggregation = data.aggregation, rows = std::move(rows)] {
                   return aggregate::op_times_over_iterations(*profile, *aggregation, rows());
                 });
}

void add_kernel_sparklines(TableData& data, std::vector<OpIndex> ops,
                           std::function<RowOfKernel()> make_row_of) {
  add_sparklines(data, [profile = data.profile, aggregation = data.aggregation,
                        row_count = data.table.row_count, ops = std::move(ops),
                        make_row_of = std::move(make_row_of)] {
    return aggregate::kernel_times_over_iterations(*profile, *aggregation, row_count, ops,
                                                   make_row_of());
  });
}

}  // namespace

std::vector<ColumnLook> time_column_looks() {
  ColumnLook share = column_look("gpu_time_share");
  ColumnLook per_iteration = column_look("gpu_time_per_iteration");
  per_iteration.applies = has_several_iterations;
  ColumnLook over_iterations = column_look("gpu_time_over_iterations");
  over_iterations.sparkline = true;
  over_iterations.applies = has_sparklines;
  return {std::move(share), std::move(per_iteration), std::move(over_iterations)};
}

void add_times_of_ops(TableData& data, const report::ViewArguments& arguments) {
  add_communication(data, arguments);
  add_time_columns(data, "op_nodes.gpu_time", report::total_op_time(*data.aggregation));
  if (aggregate::has_self_times(*data.profile)) add_total_times(data, arguments.ops);
  add_op_sparklines(data,
                    [profile = data.profile, aggregation = data.aggregation, ops = arguments.ops] {
                      return rows_of_op_table(*profile, *aggregation, ops);
                    });
}

void add_times_of_types(TableData& data, const report::ViewArguments&) {
  add_time_columns(data, "gpu_time_sum", report::total_op_time(*data.aggregation));
  add_op_sparklines(data, [profile = data.profile, aggregation = data.aggregation] {
    return rows_of_types(*profile, *aggregation);
  });
}

void add_times_of_kernels(TableData& data, const report::ViewArguments& arguments) {
  add_time_columns(data, "kernel_summaries.gpu_time",
                   report::total_kernel_time(*data.aggregation, arguments.ops));
  add_kernel_sparklines(
      data, arguments.ops,
      [profile = data.profile, aggregation = data.aggregation, ops = arguments.ops] {
        return row_of_kernel_table(*profile, *aggregation, ops);
      });
}

void add_times_of_kernel_names(TableData& data, const report::ViewArguments&) {
  add_over_iterations(data, "kernel_names.gpu_time");
  add_kernel_sparklines(data, {}, [profile = data.profile, aggregation = data.aggregation] {
    return row_of_kernel_names(*profile, *aggregation);
  });
}

void add_times_of_groups(TableData& data, const report::ViewArguments&) {
  add_time_columns(data, "gpu_time_sum", report::total_op_time(*data.aggregation));
  if (aggregate::has_self_times(*data.profile)) add_self_times(data);
  add_op_sparklines(data,
                    [profile = data.profile, aggregation = data.aggregation, tree = data.tree] {
                      return rows_of_groups(*profile, *aggregation, *tree);
                    });
}

}  // namespace dlview::ui
