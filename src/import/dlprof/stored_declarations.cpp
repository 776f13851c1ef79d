#include "import/dlprof/stored_declarations.h"

#include <utility>

namespace dlview::import::dlprof {
namespace {

// The columns that tables have in common.
struct Declaration : StoredDeclaration {
  Declaration(std::string table, std::size_t keys)
      : StoredDeclaration{std::move(table), keys, {}, {}} {}

  Declaration& join(std::string table, std::string alias, std::string left,
                    std::string foreign_key) {
    joins.push_back({std::move(table), std::move(alias), std::move(left), std::move(foreign_key)});
    return *this;
  }
  Declaration& column(const std::string& column_name) {
    columns.push_back({column_name, "t", column_name});
    return *this;
  }
  Declaration& plain(std::initializer_list<const char*> names) {
    for (const char* column_name : names) column(column_name);
    return *this;
  }
  // The text that a dictionary id stands for.
  Declaration& text(const std::string& column_name, const std::string& foreign_key) {
    join("dictionary", column_name, "t", foreign_key);
    columns.push_back({column_name, column_name, "string"});
    return *this;
  }
  Declaration& metric(const std::string& prefix, const std::string& left,
                      const std::string& foreign_key) {
    join("metric", prefix, left, foreign_key);
    for (const char* part : {"count", "max", "min", "sum", "avg"}) {
      columns.push_back({prefix + "_" + part, prefix, part});
    }
    return *this;
  }
  Declaration& node_times(const std::string& foreign_key) {
    join("node_time_metrics", "node", "t", foreign_key);
    metric("cpu", "node", "cpu_time_metric_id");
    metric("gpu", "node", "gpu_time_metric_id");
    metric("api", "node", "api_time_metric_id");
    metric("overhead", "node", "cpu_overhead_time_metric_id");
    return metric("idle", "node", "gpu_idle_time_metric_id");
  }
  Declaration& category(const std::string& prefix) {
    join("category_summary", prefix, "t", prefix + "_id");
    for (const char* part : {"cpu_time", "gpu_time", "cpu_overhead", "gpu_idle", "count"}) {
      columns.push_back({prefix + "_" + part, prefix, part});
    }
    return *this;
  }
  // The id of the op in `read_only_ops_id`, as the dictionary has it.
  Declaration& op_id() {
    join("read_only_ops", "op", "t", "read_only_ops_id");
    join("dictionary", "op_id", "op", "op_id_id");
    columns.push_back({"op_id", "op_id", "string"});
    return *this;
  }
};

Declaration model_summary() {
  Declaration table("model_summary", 0);
  table.join("read_only_domains", "domains", "t", "domain_id")
      .join("dictionary", "domain", "domains", "domain_name_id");
  table.columns.push_back({"domain", "domain", "string"});
  table.plain({"is_custom_domain", "wall_time"});
  table.category("nodes_total").category("nodes_tc_eligible");
  table.category("nodes_using_tc").category("nodes_other");
  table.plain({"gpu_utilization", "tc_utilization", "tc_duration_pct", "non_tc_duration_pct",
               "memory_duration_pct", "dataloader_duration_pct", "io_duration_pct",
               "cpu_duration_pct", "other_duration_pct", "avg_iteration_time",
               "iteration_time_std_dev", "iter_total", "iter_aggregated", "iter_start",
               "iter_stop"});
  return table.text("key_node", "key_node_id");
}

std::vector<Declaration> iteration_tables() {
  std::vector<Declaration> tables;
  tables.push_back(Declaration("iteration_key", 0).text("key_node", "key_node_id"));
  tables.push_back(
      Declaration("iteration_list", 1).plain({"iter_value", "start_time", "stop_time"}));
  tables.push_back(Declaration("iteration_aggregation_list", 1)
                       .plain({"iter_value", "gpu_utilization", "tc_duration", "non_tc_duration",
                               "memory_duration", "dataloader_duration", "io_duration",
                               "cpu_duration", "other_duration"}));
  return tables;
}

std::vector<Declaration> op_tables() {
  Declaration op_nodes("op_nodes", 1);
  op_nodes.op_id()
      .plain({"num_calls", "kernel_calls", "tc_eligible", "using_tc", "is_bad_data_type"})
      .node_times("node_time_metrics_id")
      .join("kernel_time_metrics", "kernel", "t", "kernel_time_metrics_id")
      .metric("kernel_api", "kernel", "api_time_metric_id")
      .metric("kernel_gpu", "kernel", "gpu_time_metric_id");
  Declaration group_ops("group_ops", 3);
  group_ops.column("row_type")
      .text("full_id", "group_op_full_id_id")
      .text("full_name", "group_op_full_name_id")
      .plain({"level", "num_op_instances", "num_supported_leaf_ops", "num_tc_leaf_ops"})
      .node_times("group_op_time_metrics_id");
  Declaration op_types("op_type_metrics", 1);
  op_types.text("op_type", "op_node_type_id")
      .plain({"num_nodes", "num_calls"})
      .node_times("op_type_metrics_id");
  return {op_nodes, group_ops, op_types};
}

std::vector<Declaration> kernel_tables() {
  Declaration summaries("kernel_summaries", 2);
  summaries.op_id()
      .text("kernel_name", "kernel_name_id")
      .column("uses_tc")
      .metric("api", "t", "api_time_metric_id")
      .metric("gpu", "t", "gpu_time_metric_id");
  Declaration per_iteration("kernel_iteration_stats", 1);
  per_iteration.plain(
      {"iter_value", "total_count", "uses_tc_count", "total_gpu_time", "tc_gpu_time"});
  Declaration kernels("kernel_summary_metrics", 0);
  kernels.category("kernels_total").category("kernels_using_tc").category("kernels_non_tc");
  Declaration memory("memory_summary_metrics", 0);
  memory.category("memory_time");
  return {summaries, per_iteration, kernels, memory};
}

}  // namespace

std::vector<StoredDeclaration> stored_declarations() {
  std::vector<StoredDeclaration> all{model_summary()};
  const auto append = [&all](std::vector<Declaration> more) {
    for (Declaration& table : more) all.push_back(std::move(table));
  };
  append(iteration_tables());
  Declaration devices("device_gpu_utilizations", 1);
  devices.join("read_only_gpu_infos", "gpu", "t", "gpu_info_id");
  devices.columns.push_back({"device_id", "gpu", "device_id"});
  append({devices.column("gpu_utilization")});
  append(op_tables());
  append(kernel_tables());
  append({Declaration("expert_systems_feedback", 1)
              .plain({"exp_sys_id", "problem", "recommendation", "javascript_function",
                      "javascript_args"})});
  return all;
}

StoredDeclaration kernel_iteration_declaration() {
  return Declaration("kernel_iteration_node", 1)
      .column("read_only_kernel_id")
      .op_id()
      .plain({"iter_value", "total_count", "uses_tc_count", "total_gpu_time", "tc_gpu_time"});
}

}  // namespace dlview::import::dlprof
