#include "generate/dlprof/schema.h"

namespace dlview::generate::dlprof {

const char* const kOpViews = R"sql(
CREATE VIEW view_op_nodes AS
SELECT DISTINCT
  node.aggr_id          AS aggr_id,
  domain_name.string    AS domain_name,
  gpu.sum               AS gpu_time,
  cpu.sum               AS cpu_time,
  op.op_name            AS op_node_name,
  direction.string      AS direction,
  op_type.string        AS op_node_type,
  node.num_calls        AS num_calls,
  node.tc_eligible      AS tc_eligible,
  node.using_tc         AS using_tc,
  node.kernel_calls     AS kernel_calls,
  node.is_bad_data_type AS is_bad_data_type,
  data_type.string      AS data_type,
  op.stack_trace        AS stack_trace,
  op.op_id              AS op_node_id
FROM op_nodes AS node
JOIN read_only_ops AS op ON op.id = node.read_only_ops_id
JOIN read_only_domains AS domain ON domain.id = op.domain_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id
JOIN dictionary AS direction ON direction.id = op.direction_id
JOIN dictionary AS op_type ON op_type.id = op.op_type_id
JOIN dictionary AS data_type ON data_type.id = op.data_type_id
JOIN node_time_metrics AS times ON times.id = node.node_time_metrics_id
JOIN metric AS gpu ON gpu.id = times.gpu_time_metric_id
JOIN metric AS cpu ON cpu.id = times.cpu_time_metric_id;

-- The name of a group ends in '/', which is not part of its last word.
CREATE VIEW view_group_ops AS
WITH path AS (
  SELECT
    id AS name_id,
    string AS full_name,
    substr(string, 1, length(string) - 1) AS of_group
  FROM dictionary
)
SELECT
  va.aggr_id             AS aggr_id,
  domain_name.string     AS domain_name,
  row_type               AS row_type,
  full_id.string         AS row_full_id,
  path.full_name         AS row_full_name,
  CASE row_type
    WHEN 1
    THEN replace(path.of_group, rtrim(path.of_group, replace(path.of_group, '/', '')), '')
    ELSE replace(path.full_name, rtrim(path.full_name, replace(path.full_name, '/', '')), '')
  END                    AS row_trimmed_name,
  level,
  num_op_instances,
  num_supported_leaf_ops,
  num_tc_leaf_ops,
  cpu.sum                AS cpu_time_sum,
  gpu.sum                AS gpu_time_sum,
  overhead.sum           AS cpu_overhead_sum,
  idle.sum               AS gpu_idle_sum
FROM group_ops AS row
JOIN view_aggregations AS va ON va.aggr_id = row.aggr_id
JOIN read_only_domains AS domain ON domain.id = row.domain_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id
JOIN path ON path.name_id = row.group_op_full_name_id
JOIN dictionary AS full_id ON full_id.id = row.group_op_full_id_id
JOIN node_time_metrics AS times ON times.id = row.group_op_time_metrics_id
JOIN metric AS cpu ON cpu.id = times.cpu_time_metric_id
JOIN metric AS gpu ON gpu.id = times.gpu_time_metric_id
JOIN metric AS overhead ON overhead.id = times.cpu_overhead_time_metric_id
JOIN metric AS idle ON idle.id = times.gpu_idle_time_metric_id;

CREATE VIEW view_kernel_summaries AS
SELECT
  va.aggr_id         AS aggr_id,
  domain_name.string AS domain_name,
  op_id.string       AS op_node_id,
  kernel_name.string AS kernel_name,
  summary.uses_tc    AS uses_tc,
  gpu.count          AS calls,
  gpu.sum            AS gpu_time,
  gpu.avg            AS avg,
  gpu.min            AS min,
  gpu.max            AS max
FROM kernel_summaries AS summary
JOIN view_aggregations AS va ON va.aggr_id = summary.aggr_id
JOIN read_only_ops AS op ON op.id = summary.read_only_ops_id
JOIN read_only_domains AS domain ON domain.id = op.domain_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id
JOIN dictionary AS op_id ON op_id.id = op.op_id_id
JOIN dictionary AS kernel_name ON kernel_name.id = summary.kernel_name_id
JOIN metric AS gpu ON gpu.id = summary.gpu_time_metric_id;

CREATE VIEW view_op_type_summary AS
SELECT
  va.aggr_id         AS aggr_id,
  domain_name.string AS domain_name,
  op_type.string     AS op_node_type,
  summary.num_nodes  AS num_nodes,
  summary.num_calls  AS num_calls,
  cpu.sum            AS cpu_time_sum,
  cpu.avg            AS cpu_time_avg,
  cpu.min            AS cpu_time_min,
  cpu.max            AS cpu_time_max,
  gpu.sum            AS gpu_time_sum,
  gpu.avg            AS gpu_time_avg,
  gpu.min            AS gpu_time_min,
  gpu.max            AS gpu_time_max,
  overhead.sum       AS cpu_overhead_sum,
  overhead.avg       AS cpu_overhead_avg,
  overhead.min       AS cpu_overhead_min,
  overhead.max       AS cpu_overhead_max,
  idle.sum           AS gpu_idle_sum,
  idle.avg           AS gpu_idle_avg,
  idle.min           AS gpu_idle_min,
  idle.max           AS gpu_idle_max
FROM op_type_metrics AS summary
JOIN view_aggregations AS va ON va.aggr_id = summary.aggr_id
JOIN read_only_domains AS domain ON domain.id = summary.domain_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id
JOIN dictionary AS op_type ON op_type.id = summary.op_node_type_id
JOIN node_time_metrics AS times ON times.id = summary.op_type_metrics_id
JOIN metric AS cpu ON cpu.id = times.cpu_time_metric_id
JOIN metric AS gpu ON gpu.id = times.gpu_time_metric_id
JOIN metric AS overhead ON overhead.id = times.cpu_overhead_time_metric_id
JOIN metric AS idle ON idle.id = times.gpu_idle_time_metric_id;
)sql";

}  // namespace dlview::generate::dlprof
