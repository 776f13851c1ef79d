#include "generate/dlprof/schema.h"

namespace dlview::generate::dlprof {

const char* const kFileViews = R"sql(
CREATE VIEW view_gpu_names AS
SELECT gpu_name FROM read_only_gpu_infos ORDER BY gpu_name;

CREATE VIEW view_system_config AS
SELECT is_valid, num_gpus, cpu_model, driver_version, framework, cuda_version, cudnn_version,
  nsys_version, dlprof_version, dlprof_build, profile_name, mode_string, original_command
FROM read_only_system_config;

CREATE VIEW view_db_version AS
SELECT current_version, original_version FROM db_version;

CREATE VIEW view_domains AS
SELECT name.string AS domain_name
FROM read_only_domains AS domain
JOIN dictionary AS name ON name.id = domain.domain_name_id;

CREATE VIEW view_aggregations AS
SELECT DISTINCT
  aggregation.id               AS aggr_id,
  model.iter_start             AS iter_start,
  model.iter_stop              AS iter_stop,
  model.iter_aggregated        AS iter_aggregated,
  key.string                   AS key_node_name,
  aggregation.server_user_name AS user_name,
  aggregation.server_host_name AS host_name,
  aggregation.start_timestamp  AS aggr_start,
  aggregation.end_timestamp    AS aggr_end
FROM aggregations AS aggregation
JOIN model_summary AS model ON model.aggr_id = aggregation.id
JOIN dictionary AS key ON key.id = model.key_node_id;

CREATE VIEW view_expert_systems AS
SELECT
  va.aggr_id                   AS aggr_id,
  feedback.problem             AS problem,
  feedback.recommendation      AS recommendation,
  feedback.javascript_function AS javascript_function,
  feedback.javascript_args     AS javascript_args
FROM expert_systems_feedback AS feedback
JOIN view_aggregations AS va ON va.aggr_id = feedback.aggr_id;

CREATE VIEW view_key_op_name AS
SELECT va.aggr_id AS aggr_id, key.string AS key_op
FROM iteration_key AS iteration
JOIN view_aggregations AS va ON va.aggr_id = iteration.aggr_id
JOIN dictionary AS key ON key.id = iteration.key_node_id;
)sql";

const char* const kIterationViews = R"sql(
CREATE VIEW view_iterations_all AS
SELECT
  va.aggr_id                                 AS aggr_id,
  iteration.iter_value                       AS iter_value,
  iteration.start_time                       AS start_time,
  iteration.stop_time                        AS stop_time,
  iteration.stop_time - iteration.start_time AS duration
FROM iteration_list AS iteration
JOIN view_aggregations AS va ON va.aggr_id = iteration.aggr_id;

CREATE VIEW view_iterations_profiled AS
SELECT
  profiled.aggr_id                           AS aggr_id,
  domain_name.string                         AS domain_name,
  profiled.iter_value                        AS iter_value,
  iteration.start_time                       AS start_time,
  iteration.stop_time - iteration.start_time AS duration,
  kernels.total_count                        AS total_kernel_count,
  kernels.uses_tc_count                      AS using_tc_kernel_count,
  profiled.tc_duration                       AS tc_duration,
  profiled.non_tc_duration                   AS non_tc_duration,
  profiled.memory_duration                   AS memory_duration,
  profiled.dataloader_duration               AS dataloader_duration,
  profiled.io_duration                       AS io_duration,
  profiled.cpu_duration                      AS cpu_duration,
  profiled.other_duration                    AS other_duration
FROM iteration_aggregation_list AS profiled
LEFT JOIN iteration_list AS iteration
  ON iteration.iter_value = profiled.iter_value AND iteration.aggr_id = profiled.aggr_id
LEFT JOIN kernel_iteration_stats AS kernels
  ON kernels.iter_value = profiled.iter_value AND kernels.aggr_id = profiled.aggr_id
LEFT JOIN read_only_domains AS domain ON domain.id = kernels.domain_id
LEFT JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id
ORDER BY profiled.iter_value;

CREATE VIEW view_iteration_kernels AS
SELECT
  va.aggr_id                                    AS aggr_id,
  domain_name.string                            AS domain_name,
  node.iter_value                               AS iter_value,
  op.op_name                                    AS op_node_name,
  kernel_name.string                            AS kernel_name,
  kernel.device_id                              AS device_id,
  kernel.api_start                              AS kernel_timestamp,
  kernel.gpu_stop - kernel.gpu_start            AS kernel_duration,
  kernel.uses_tc                                AS uses_tc,
  grid.x || ', ' || grid.y || ', ' || grid.z    AS grid,
  block.x || ', ' || block.y || ', ' || block.z AS block
FROM kernel_iteration_node AS node
JOIN view_aggregations AS va ON va.aggr_id = node.aggr_id
JOIN read_only_domains AS domain ON domain.id = node.domain_id
JOIN read_only_ops AS op ON op.id = node.read_only_ops_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id
JOIN read_only_kernels AS kernel ON kernel.id = node.read_only_kernel_id
JOIN dictionary AS kernel_name ON kernel_name.id = kernel.name_id
JOIN read_only_grid_block AS grid ON grid.id = kernel.grid_id
JOIN read_only_grid_block AS block ON block.id = kernel.block_id;

CREATE VIEW view_iteration_op_kernels AS
SELECT
  va.aggr_id                                    AS aggr_id,
  domain_name.string                            AS domain_name,
  node.iter_value                               AS iter_value,
  op_id.string                                  AS op_node_id,
  kernel_name.string                            AS kernel_name,
  kernel.device_id                              AS device_id,
  kernel.api_start                              AS kernel_timestamp,
  kernel.gpu_stop - kernel.gpu_start            AS kernel_duration,
  kernel.uses_tc                                AS uses_tc,
  grid.x || ', ' || grid.y || ', ' || grid.z    AS grid,
  block.x || ', ' || block.y || ', ' || block.z AS block
FROM kernel_iteration_node AS node
JOIN view_aggregations AS va ON va.aggr_id = node.aggr_id
JOIN read_only_domains AS domain ON domain.id = node.domain_id
JOIN read_only_ops AS op ON op.id = node.read_only_ops_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id
JOIN read_only_kernels AS kernel ON kernel.id = node.read_only_kernel_id
JOIN dictionary AS op_id ON op_id.id = op.op_id_id
JOIN dictionary AS kernel_name ON kernel_name.id = kernel.name_id
JOIN read_only_grid_block AS grid ON grid.id = kernel.grid_id
JOIN read_only_grid_block AS block ON block.id = kernel.block_id;

CREATE VIEW view_iteration_ops AS
SELECT DISTINCT
  va.aggr_id          AS aggr_id,
  domain_name.string  AS domain_name,
  node.iter_value     AS iter_value,
  op.op_name          AS op_node_name,
  direction.string    AS direction,
  op_type.string      AS op_node_type,
  node.total_count    AS total_count,
  node.uses_tc_count  AS tc_count,
  node.total_gpu_time AS total_gpu_time,
  node.tc_gpu_time    AS tc_gpu_time,
  data_type.string    AS data_type,
  op.stack_trace      AS stack_trace,
  op_id.string        AS op_node_id
FROM kernel_iteration_node AS node
JOIN view_aggregations AS va ON va.aggr_id = node.aggr_id
JOIN read_only_domains AS domain ON domain.id = node.domain_id
JOIN read_only_ops AS op ON op.id = node.read_only_ops_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id
JOIN dictionary AS op_id ON op_id.id = op.op_id_id
JOIN dictionary AS op_type ON op_type.id = op.op_type_id
JOIN dictionary AS data_type ON data_type.id = op.data_type_id
JOIN dictionary AS direction ON direction.id = op.direction_id;
)sql";

const char* const kModelViews = R"sql(
CREATE VIEW view_domain_model_gpu_utilization AS
SELECT
  va.aggr_id            AS aggr_id,
  domain_name.string    AS domain_name,
  model.gpu_utilization AS gpu_utilization
FROM model_summary AS model
JOIN view_aggregations AS va ON va.aggr_id = model.aggr_id
JOIN read_only_domains AS domain ON domain.id = model.domain_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id;

CREATE VIEW view_tc_utilization AS
SELECT
  va.aggr_id           AS aggr_id,
  domain_name.string   AS domain_name,
  model.tc_utilization AS tc_utilization
FROM model_summary AS model
JOIN view_aggregations AS va ON va.aggr_id = model.aggr_id
JOIN read_only_domains AS domain ON domain.id = model.domain_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id;

CREATE VIEW view_performance_summary AS
SELECT
  va.aggr_id               AS aggr_id,
  domain_name.string       AS domain_name,
  model.wall_time          AS wall_clock_time,
  model.tc_utilization     AS tc_utilization,
  model.gpu_utilization    AS gpu_utilization,
  model.iter_total         AS total_iterations,
  model.iter_aggregated    AS profiled_iterations,
  model.iter_start         AS iter_start,
  model.iter_stop          AS iter_stop,
  model.avg_iteration_time AS iter_avg,
  key.string               AS key_node
FROM model_summary AS model
JOIN view_aggregations AS va ON va.aggr_id = model.aggr_id
JOIN read_only_domains AS domain ON domain.id = model.domain_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id
JOIN dictionary AS key ON key.id = model.key_node_id;

CREATE VIEW view_op_summary AS
SELECT
  va.aggr_id         AS aggr_id,
  domain_name.string AS domain_name,
  total.gpu_time     AS nodes_total_gpu_time,
  total.count        AS nodes_total_count,
  uses_tc.gpu_time   AS nodes_using_tc_gpu_time,
  uses_tc.count      AS nodes_using_tc_count,
  eligible.gpu_time  AS nodes_tc_eligible_gpu_time,
  eligible.count     AS nodes_tc_eligible_count,
  other.gpu_time     AS nodes_other_gpu_time,
  other.count        AS nodes_other_count
FROM model_summary AS model
JOIN view_aggregations AS va ON va.aggr_id = model.aggr_id
JOIN read_only_domains AS domain ON domain.id = model.domain_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id
JOIN category_summary AS total ON total.id = model.nodes_total_id
JOIN category_summary AS uses_tc ON uses_tc.id = model.nodes_using_tc_id
JOIN category_summary AS eligible ON eligible.id = model.nodes_tc_eligible_id
JOIN category_summary AS other ON other.id = model.nodes_other_id;

CREATE VIEW view_kernel_summary AS
SELECT
  va.aggr_id                       AS aggr_id,
  domain_name.string               AS domain_name,
  total.gpu_time + memory.gpu_time AS total_gpu_time,
  total.count + memory.count       AS total_count,
  uses_tc.gpu_time                 AS using_tc_gpu_time,
  uses_tc.count                    AS using_tc_count,
  memory.gpu_time                  AS memory_gpu_time,
  memory.count                     AS memory_count,
  other.gpu_time                   AS other_gpu_time,
  other.count                      AS other_count
FROM kernel_summary_metrics AS kernels
JOIN view_aggregations AS va ON va.aggr_id = kernels.aggr_id
JOIN read_only_domains AS domain ON domain.id = kernels.domain_id
JOIN memory_summary_metrics AS memory_metrics
  ON memory_metrics.domain_id = kernels.domain_id AND memory_metrics.aggr_id = kernels.aggr_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id
JOIN category_summary AS total ON total.id = kernels.kernels_total_id
JOIN category_summary AS uses_tc ON uses_tc.id = kernels.kernels_using_tc_id
JOIN category_summary AS other ON other.id = kernels.kernels_non_tc_id
JOIN category_summary AS memory ON memory.id = memory_metrics.memory_time_id;

CREATE VIEW view_resource_usage_breakdown AS
SELECT
  model.aggr_id                 AS aggr_id,
  domain_name.string            AS domain_name,
  model.tc_duration_pct         AS tc_duration_pct,
  model.non_tc_duration_pct     AS non_tc_duration_pct,
  model.memory_duration_pct     AS memory_duration_pct,
  model.dataloader_duration_pct AS dataloader_duration_pct,
  model.io_duration_pct         AS io_duration_pct,
  model.cpu_duration_pct        AS cpu_duration_pct,
  model.other_duration_pct      AS other_duration_pct
FROM model_summary AS model
JOIN read_only_domains AS domain ON domain.id = model.domain_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id;

CREATE VIEW view_gpu_devices AS
SELECT
  va.aggr_id                   AS aggr_id,
  domain_name.string           AS domain_name,
  gpu.device_id                AS device_id,
  gpu.gpu_name                 AS gpu_name,
  gpu.compute_capability_major AS cuda_major,
  gpu.compute_capability_minor AS cuda_minor,
  gpu.sm_count                 AS sm_count,
  utilization.gpu_utilization  AS device_gpu_utilization
FROM device_gpu_utilizations AS utilization
JOIN view_aggregations AS va ON va.aggr_id = utilization.aggr_id
JOIN read_only_gpu_infos AS gpu ON gpu.id = utilization.gpu_info_id
JOIN read_only_domains AS domain ON domain.id = utilization.domain_id
JOIN dictionary AS domain_name ON domain_name.id = domain.domain_name_id;
)sql";

}  // namespace dlview::generate::dlprof
