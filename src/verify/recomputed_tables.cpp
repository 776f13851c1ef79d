#include "verify/recomputed_tables.h"

#include <string_view>

#include "aggregate/advice.h"
#include "aggregate/group_tree.h"
#include "verify/row_builder.h"

namespace dlview::verify {
namespace {

using aggregate::Aggregation;
using aggregate::Category;
using aggregate::KernelTotals;
using aggregate::OpAggregate;
using base::ValueTable;
using profile::Profile;

// group_ops.row_type
constexpr int64_t kGroupRow = 1;
constexpr int64_t kOpRow = 2;

ValueTable model_summary(const Profile& profile, const Aggregation& a) {
  ValueTable table{"model_summary", {"domain", "is_custom_domain", "wall_time"}, 0, {}};
  for (const char* part : {"nodes_total", "nodes_tc_eligible", "nodes_using_tc", "nodes_other"}) {
    append_category_columns(table.columns, part);
  }
  for (const char* column :
       {"gpu_utilization", "tc_utilization", "tc_duration_pct", "non_tc_duration_pct",
        "memory_duration_pct", "dataloader_duration_pct", "io_duration_pct", "cpu_duration_pct",
        "other_duration_pct", "avg_iteration_time", "iteration_time_std_dev", "iter_total",
        "iter_aggregated", "iter_start", "iter_stop", "key_node"}) {
    table.columns.emplace_back(column);
  }
  RowBuilder row;
  row.add(profile.system.domain).add(true).add(a.wall_ns);
  row.add(a.all_ops).add(a.eligible_ops).add(a.tensor_core_ops).add(a.other_ops);
  row.add(a.gpu_utilization()).add(a.tensor_core_efficiency());
  for (const Category category : aggregate::kCategories) row.add(a.share(category));
  row.add(a.average_iteration_ns()).add(a.iteration_standard_deviation_ns());
  row.add(static_cast<int64_t>(a.iteration_table->iterations.rows.size()));
  row.add(a.selection.range.size()).add(a.selection.range.first).add(a.selection.range.last);
  table.rows.push_back(row.add(a.selection.cut.key_op).take());
  return table;
}

ValueTable iteration_key(const Aggregation& a) {
  return {"iteration_key", {"key_node"}, 0, {RowBuilder().add(a.selection.cut.key_op).take()}};
}

ValueTable iteration_list(const Aggregation& a) {
  ValueTable table{"iteration_list", {"iter_value", "start_time", "stop_time"}, 1, {}};
  int64_t number = 0;
  for (const aggregate::Iteration& row : a.iteration_table->iterations.rows) {
    table.rows.push_back(RowBuilder().add(number++).add(row.start_ns).add(row.stop_ns).take());
  }
  return table;
}

ValueTable iteration_aggregation_list(const Aggregation& a) {
  ValueTable table{
      "iteration_aggregation_list",
      {"iter_value", "gpu_utilization", "tc_duration", "non_tc_duration", "memory_duration",
       "dataloader_duration", "io_duration", "cpu_duration", "other_duration"},
      1,
      {}};
  for (int64_t number = a.selection.range.first; number <= a.selection.range.last; ++number) {
    const auto i = static_cast<std::size_t>(number);
    RowBuilder row;
    row.add(number).add(a.iteration_gpu_utilization(i));
    for (const Category category : aggregate::kCategories) {
      row.add(a.iteration_table->facts[i].per_device[category]);
    }
    table.rows.push_back(row.take());
  }
  return table;
}

ValueTable device_gpu_utilizations(const Profile& profile, const Aggregation& a) {
  ValueTable table{"device_gpu_utilizations", {"device_id", "gpu_utilization"}, 1, {}};
  for (const aggregate::DeviceAggregate& device : a.devices) {
    table.rows.push_back(RowBuilder()
                             .add(profile.devices[device.device].device_id)
                             .add(a.device_utilization(device))
                             .take());
  }
  return table;
}

ValueTable op_nodes(const Profile& profile, const Aggregation& a) {
  ValueTable table{
      "op_nodes",
      {"op_id", "num_calls", "kernel_calls", "tc_eligible", "using_tc", "is_bad_data_type"},
      1,
      {}};
  append_time_columns(table.columns);
  append_metric_columns(table.columns, "kernel_api");
  append_metric_columns(table.columns, "kernel_gpu");
  for (const OpAggregate& op : a.ops) {
    const bool eligible = profile.is_eligible(op.op);
    RowBuilder row;
    row.add(profile.text(profile.ops.id[op.op])).add(op.times.count()).add(op.kernel_gpu.count);
    row.add(eligible).add(op.uses_tensor_cores());
    row.add(eligible && profile.text(profile.ops.data_type[op.op]) == aggregate::kBadDataType);
    table.rows.push_back(row.add(op.times).add(op.kernel_api).add(op.kernel_gpu).take());
  }
  return table;
}

ValueTable group_ops(const Profile& profile, const Aggregation& a) {
  ValueTable table{"group_ops",
                   {"row_type", "full_id", "full_name", "level", "num_op_instances",
                    "num_supported_leaf_ops", "num_tc_leaf_ops"},
                   3,
                   {}};
  append_time_columns(table.columns);
  for (const aggregate::GroupAggregate& group : a.groups) {
    const aggregate::Group& declared = a.group_tree->groups[group.group];
    const std::string_view name = aggregate::group_name(profile, declared);
    RowBuilder row;
    row.add(kGroupRow).add(name).add(name).add(int64_t{declared.level});
    row.add(group.instance_count).add(group.eligible_ops).add(group.tensor_core_ops);
    table.rows.push_back(row.add(group.times).take());
  }
  for (const OpAggregate& op : a.ops) {
    const std::string_view name = profile.text(profile.ops.name[op.op]);
    RowBuilder row;
    row.add(kOpRow).add(profile.text(profile.ops.id[op.op])).add(name);
    row.add(int64_t{aggregate::op_level(profile, name)}).add(op.times.count());
    row.add(int64_t{profile.is_eligible(op.op)}).add(int64_t{op.uses_tensor_cores()});
    table.rows.push_back(row.add(op.times).take());
  }
  return table;
}

ValueTable op_type_metrics(const Profile& profile, const Aggregation& a) {
  ValueTable table{"op_type_metrics", {"op_type", "num_nodes", "num_calls"}, 1, {}};
  append_time_columns(table.columns);
  for (const aggregate::OpTypeAggregate& type : a.op_types) {
    RowBuilder row;
    row.add(profile.text(type.type)).add(type.op_count).add(type.times.count());
    table.rows.push_back(row.add(type.times).take());
  }
  return table;
}

ValueTable kernel_summaries(const Profile& profile, const Aggregation& a) {
  ValueTable table{"kernel_summaries", {"op_id", "kernel_name", "uses_tc"}, 2, {}};
  append_metric_columns(table.columns, "api");
  append_metric_columns(table.columns, "gpu");
  for (const aggregate::KernelAggregate& kernel : a.kernels) {
    RowBuilder row;
    row.add(profile.text(profile.ops.id[kernel.op])).add(profile.text(kernel.name));
    table.rows.push_back(row.add(kernel.uses_tensor_cores).add(kernel.api).add(kernel.gpu).take());
  }
  return table;
}

ValueTable kernel_iteration_stats(const Aggregation& a) {
  ValueTable table{"kernel_iteration_stats",
                   {"iter_value", "total_count", "uses_tc_count", "total_gpu_time", "tc_gpu_time"},
                   1,
                   {}};
  for (int64_t number = a.selection.range.first; number <= a.selection.range.last; ++number) {
    const KernelTotals& totals = a.iteration_table->facts[static_cast<std::size_t>(number)].kernels;
    table.rows.push_back(RowBuilder().add(number).add(totals).take());
  }
  return table;
}

ValueTable kernel_summary_metrics(const Aggregation& a) {
  ValueTable table{"kernel_summary_metrics", {}, 0, {}};
  for (const char* part : {"kernels_total", "kernels_using_tc", "kernels_non_tc"}) {
    append_category_columns(table.columns, part);
  }
  RowBuilder row;
  row.add(a.all_kernels).add(a.tensor_core_kernels).add(a.other_kernels);
  table.rows.push_back(row.take());
  return table;
}

ValueTable memory_summary_metrics(const Aggregation& a) {
  ValueTable table{"memory_summary_metrics", {}, 0, {}};
  append_category_columns(table.columns, "memory_time");
  table.rows.push_back(RowBuilder().add(a.memory).take());
  return table;
}

ValueTable expert_systems_feedback(const Aggregation& a) {
  ValueTable table{
      "expert_systems_feedback",
      {"exp_sys_id", "problem", "recommendation", "javascript_function", "javascript_args"},
      1,
      {}};
  for (const aggregate::Advice& advice : a.advice) {
    RowBuilder row;
    row.add(advice.detector).add(advice.problem).add(advice.recommendation);
    table.rows.push_back(row.add(advice.action).add(advice.action_arguments).take());
  }
  return table;
}

}  // namespace

std::vector<ValueTable> recomputed_tables(const Profile& profile, const Aggregation& aggregation) {
  std::vector<ValueTable> tables;
  tables.push_back(model_summary(profile, aggregation));
  tables.push_back(iteration_key(aggregation));
  tables.push_back(iteration_list(aggregation));
  tables.push_back(iteration_aggregation_list(aggregation));
  tables.push_back(device_gpu_utilizations(profile, aggregation));
  tables.push_back(op_nodes(profile, aggregation));
  tables.push_back(group_ops(profile, aggregation));
  tables.push_back(op_type_metrics(profile, aggregation));
  tables.push_back(kernel_summaries(profile, aggregation));
  tables.push_back(kernel_iteration_stats(aggregation));
  tables.push_back(kernel_summary_metrics(aggregation));
  tables.push_back(memory_summary_metrics(aggregation));
  tables.push_back(expert_systems_feedback(aggregation));
  return tables;
}

}  // namespace dlview::verify
