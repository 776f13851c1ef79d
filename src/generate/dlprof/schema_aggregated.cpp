#include "generate/dlprof/schema.h"

namespace dlview::generate::dlprof {

const char* const kAggregatedTables = R"sql(
CREATE TABLE aggregations (
  id               INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  server_user_name TEXT    NOT NULL,
  server_host_name TEXT    NOT NULL,
  start_timestamp  INTEGER NOT NULL,
  end_timestamp    INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE category_summary (
  id           INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  cpu_time     INTEGER NOT NULL,
  gpu_time     INTEGER NOT NULL,
  cpu_overhead INTEGER NOT NULL,
  gpu_idle     INTEGER NOT NULL,
  count        INTEGER NOT NULL
);

CREATE TABLE metric (
  id    INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  count INTEGER NOT NULL,
  max   INTEGER NOT NULL,
  min   INTEGER NOT NULL,
  sum   INTEGER NOT NULL,
  avg   REAL    NOT NULL
);

CREATE TABLE node_time_metrics (
  id                          INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  cpu_time_metric_id          INTEGER NOT NULL REFERENCES metric (id) CASCADES,
  gpu_time_metric_id          INTEGER NOT NULL REFERENCES metric (id) CASCADES,
  api_time_metric_id          INTEGER NOT NULL REFERENCES metric (id) CASCADES,
  cpu_overhead_time_metric_id INTEGER NOT NULL REFERENCES metric (id) CASCADES,
  gpu_idle_time_metric_id     INTEGER NOT NULL REFERENCES metric (id) CASCADES
);

CREATE TABLE kernel_time_metrics (
  id                 INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  api_time_metric_id INTEGER NOT NULL REFERENCES metric (id) CASCADES,
  gpu_time_metric_id INTEGER NOT NULL REFERENCES metric (id) CASCADES
);

CREATE TABLE expert_systems_feedback (
  id                  INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id             INTEGER NOT NULL,
  exp_sys_id          TEXT    NOT NULL,
  problem             TEXT    NOT NULL,
  recommendation      TEXT    NOT NULL,
  javascript_function TEXT    NOT NULL,
  javascript_args     TEXT    NOT NULL
);

CREATE TABLE iteration_key (
  id          INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id     INTEGER NOT NULL UNIQUE REFERENCES aggregations (id) CASCADES,
  key_node_id INTEGER NOT NULL REFERENCES dictionary (id) CASCADES
);

CREATE TABLE iteration_list (
  id         INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id    INTEGER NOT NULL REFERENCES aggregations (id) CASCADES,
  iter_value INTEGER NOT NULL,
  start_time INTEGER NOT NULL,
  stop_time  INTEGER NOT NULL
);

CREATE TABLE iteration_aggregation_list (
  id                  INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id             INTEGER NOT NULL REFERENCES aggregations (id) CASCADES,
  iter_value          INTEGER NOT NULL,
  gpu_utilization     REAL    NOT NULL,
  tc_duration         INTEGER NOT NULL,
  non_tc_duration     INTEGER NOT NULL,
  memory_duration     INTEGER NOT NULL,
  dataloader_duration INTEGER NOT NULL,
  io_duration         INTEGER NOT NULL,
  cpu_duration        INTEGER NOT NULL,
  other_duration      INTEGER NOT NULL
);

CREATE TABLE model_summary (
  id                      INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id                 INTEGER NOT NULL REFERENCES aggregations (id) CASCADES,
  domain_id               INTEGER NOT NULL REFERENCES read_only_domains (id) CASCADES,
  is_custom_domain        BOOLEAN NOT NULL CHECK (is_custom_domain IN (0, 1)),
  wall_time               INTEGER NOT NULL,
  nodes_total_id          INTEGER NOT NULL REFERENCES category_summary (id) CASCADES,
  nodes_tc_eligible_id    INTEGER NOT NULL REFERENCES category_summary (id) CASCADES,
  nodes_using_tc_id       INTEGER NOT NULL REFERENCES category_summary (id) CASCADES,
  nodes_other_id          INTEGER NOT NULL REFERENCES category_summary (id) CASCADES,
  gpu_utilization         REAL    NOT NULL,
  tc_utilization          REAL    NOT NULL,
  tc_duration_pct         REAL    NOT NULL,
  non_tc_duration_pct     REAL    NOT NULL,
  memory_duration_pct     REAL    NOT NULL,
  dataloader_duration_pct REAL    NOT NULL,
  io_duration_pct         REAL    NOT NULL,
  cpu_duration_pct        REAL    NOT NULL,
  other_duration_pct      REAL    NOT NULL,
  avg_iteration_time      REAL    NOT NULL,
  iteration_time_std_dev  REAL    NOT NULL,
  iter_total              INTEGER NOT NULL,
  iter_aggregated         INTEGER NOT NULL,
  iter_start              INTEGER NOT NULL,
  iter_stop               INTEGER NOT NULL,
  key_node_id             INTEGER NOT NULL REFERENCES dictionary (id) CASCADES
);

CREATE TABLE device_gpu_utilizations (
  id              INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id         INTEGER NOT NULL,
  domain_id       INTEGER NOT NULL REFERENCES read_only_domains (id) CASCADES,
  gpu_info_id     INTEGER NOT NULL REFERENCES read_only_gpu_infos (id) CASCADES,
  gpu_utilization REAL    NOT NULL
);

CREATE TABLE op_nodes (
  id                     INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id                INTEGER NOT NULL REFERENCES aggregations (id) CASCADES,
  read_only_ops_id       INTEGER NOT NULL REFERENCES read_only_ops (id) CASCADES,
  node_time_metrics_id   INTEGER NOT NULL REFERENCES node_time_metrics (id) CASCADES,
  kernel_time_metrics_id INTEGER NOT NULL REFERENCES kernel_time_metrics (id) CASCADES,
  num_calls              INTEGER NOT NULL,
  kernel_calls           INTEGER NOT NULL,
  tc_eligible            BOOLEAN NOT NULL CHECK (tc_eligible IN (0, 1)),
  using_tc               BOOLEAN NOT NULL CHECK (using_tc IN (0, 1)),
  is_bad_data_type       BOOLEAN NOT NULL CHECK (is_bad_data_type IN (0, 1))
);

CREATE TABLE group_ops (
  id                       INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id                  INTEGER NOT NULL REFERENCES aggregations (id) CASCADES,
  domain_id                INTEGER NOT NULL REFERENCES read_only_domains (id) CASCADES,
  row_type                 INTEGER NOT NULL,
  group_op_full_id_id      INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  group_op_full_name_id    INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  level                    INTEGER NOT NULL,
  num_op_instances         INTEGER NOT NULL,
  num_supported_leaf_ops   INTEGER NOT NULL,
  num_tc_leaf_ops          INTEGER NOT NULL,
  group_op_time_metrics_id INTEGER NOT NULL REFERENCES node_time_metrics (id) CASCADES
);

CREATE TABLE kernel_summaries (
  id                 INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id            INTEGER NOT NULL REFERENCES aggregations (id) CASCADES,
  domain_id          INTEGER NOT NULL REFERENCES read_only_domains (id) CASCADES,
  read_only_ops_id   INTEGER NOT NULL REFERENCES read_only_ops (id) CASCADES,
  kernel_name_id     INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  api_time_metric_id INTEGER NOT NULL REFERENCES metric (id) CASCADES,
  gpu_time_metric_id INTEGER NOT NULL REFERENCES metric (id) CASCADES,
  uses_tc            BOOLEAN NOT NULL CHECK (uses_tc IN (0, 1))
);

CREATE TABLE kernel_iteration_node (
  id                  INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id             INTEGER NOT NULL REFERENCES aggregations (id) CASCADES,
  domain_id           INTEGER NOT NULL REFERENCES read_only_domains (id) CASCADES,
  read_only_ops_id    INTEGER NOT NULL REFERENCES read_only_ops (id) CASCADES,
  read_only_kernel_id INTEGER NOT NULL REFERENCES read_only_kernels (id) CASCADES,
  iter_value          INTEGER NOT NULL,
  total_count         INTEGER NOT NULL,
  uses_tc_count       INTEGER NOT NULL,
  total_gpu_time      INTEGER NOT NULL,
  tc_gpu_time         INTEGER NOT NULL
);

CREATE TABLE kernel_iteration_stats (
  id             INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id        INTEGER NOT NULL REFERENCES aggregations (id) CASCADES,
  domain_id      INTEGER NOT NULL REFERENCES read_only_domains (id) CASCADES,
  iter_value     INTEGER NOT NULL,
  total_count    INTEGER NOT NULL,
  uses_tc_count  INTEGER NOT NULL,
  total_gpu_time INTEGER NOT NULL,
  tc_gpu_time    INTEGER NOT NULL
);

CREATE TABLE kernel_summary_metrics (
  id                  INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id             INTEGER NOT NULL REFERENCES aggregations (id) CASCADES,
  domain_id           INTEGER NOT NULL REFERENCES read_only_domains (id) CASCADES,
  kernels_total_id    INTEGER NOT NULL REFERENCES category_summary (id) CASCADES,
  kernels_using_tc_id INTEGER NOT NULL REFERENCES category_summary (id) CASCADES,
  kernels_non_tc_id   INTEGER NOT NULL REFERENCES category_summary (id) CASCADES
);

CREATE TABLE memory_summary_metrics (
  id             INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id        INTEGER NOT NULL REFERENCES aggregations (id) CASCADES,
  domain_id      INTEGER NOT NULL REFERENCES read_only_domains (id) CASCADES,
  memory_time_id INTEGER NOT NULL REFERENCES category_summary (id) CASCADES
);

CREATE TABLE op_type_metrics (
  id                 INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  aggr_id            INTEGER NOT NULL,
  domain_id          INTEGER NOT NULL REFERENCES read_only_domains (id) CASCADES,
  op_node_type_id    INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  op_type_metrics_id INTEGER NOT NULL REFERENCES node_time_metrics (id) CASCADES,
  num_nodes          INTEGER NOT NULL,
  num_calls          INTEGER NOT NULL
);
)sql";

const char* const kAggregatedIndexes = R"sql(
CREATE UNIQUE INDEX unique_iteration_list ON iteration_list (aggr_id, iter_value);
CREATE UNIQUE INDEX unique_model_summary ON model_summary (aggr_id, domain_id);
CREATE UNIQUE INDEX unique_device_gpu_utilizations
  ON device_gpu_utilizations (aggr_id, domain_id, gpu_info_id);
CREATE UNIQUE INDEX unique_group_ops
  ON group_ops (aggr_id, domain_id, group_op_full_id_id, group_op_full_name_id);
CREATE UNIQUE INDEX unique_kernel_summaries
  ON kernel_summaries (aggr_id, domain_id, read_only_ops_id, kernel_name_id);
CREATE UNIQUE INDEX unique_kernel_iteration_node
  ON kernel_iteration_node (aggr_id, domain_id, read_only_ops_id, read_only_kernel_id, iter_value);
CREATE UNIQUE INDEX unique_kernel_iteration_stats
  ON kernel_iteration_stats (aggr_id, domain_id, iter_value);
CREATE UNIQUE INDEX unique_kernel_summary_metrics ON kernel_summary_metrics (aggr_id, domain_id);
CREATE UNIQUE INDEX unique_memory_summary_metrics ON memory_summary_metrics (aggr_id, domain_id);
CREATE UNIQUE INDEX unique_op_type_metrics
  ON op_type_metrics (aggr_id, domain_id, op_node_type_id);
)sql";

}  // namespace dlview::generate::dlprof
