#include "generate/dlprof/schema.h"

namespace dlview::generate::dlprof {

const char* const kRawTables = R"sql(
CREATE TABLE dictionary (
  id     INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  string TEXT    NOT NULL UNIQUE
);

CREATE TABLE read_only_grid_block (
  id INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  x  INTEGER NOT NULL,
  y  INTEGER NOT NULL,
  z  INTEGER NOT NULL
);

CREATE TABLE read_only_model_info (
  id           INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  domain_id    INTEGER NOT NULL REFERENCES read_only_domains (id) CASCADES,
  domain_name  STRING  NOT NULL,
  profile_name STRING  NOT NULL
);

CREATE TABLE read_only_gpu_infos (
  id                       INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  device_id                INTEGER NOT NULL UNIQUE,
  gpu_name                 TEXT    NOT NULL,
  compute_capability_major INTEGER NOT NULL,
  compute_capability_minor INTEGER NOT NULL,
  sm_count                 INTEGER NOT NULL
);

CREATE TABLE gpu_memories (
  id    INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  total INTEGER NOT NULL,
  used  INTEGER NOT NULL
);

CREATE TABLE read_only_system_config (
  id               INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  is_valid         BOOLEAN NOT NULL CHECK (is_valid IN (0, 1)),
  num_gpus         TEXT    NOT NULL,
  cpu_model        TEXT    NOT NULL,
  driver_version   TEXT    NOT NULL,
  framework        TEXT    NOT NULL,
  cuda_version     TEXT    NOT NULL,
  cudnn_version    TEXT    NOT NULL,
  nsys_version     TEXT    NOT NULL,
  dlprof_version   TEXT    NOT NULL,
  dlprof_build     TEXT    NOT NULL,
  profile_name     TEXT    NOT NULL,
  mode_enum        INTEGER NOT NULL,
  mode_string      TEXT    NOT NULL,
  original_command TEXT    NOT NULL
);

CREATE TABLE db_version (
  id               INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  current_version  TEXT    NOT NULL,
  original_version TEXT    NOT NULL
);

CREATE TABLE read_only_model_config (
  id                          INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  num_workers                 INTEGER NOT NULL,
  pin_memory                  BOOLEAN NOT NULL,
  cudnn_benchmark_disabled    BOOLEAN NOT NULL,
  detect_anomaly              BOOLEAN NOT NULL,
  gradcheck                   BOOLEAN NOT NULL,
  gradgradcheck               BOOLEAN NOT NULL,
  autograd_profile            BOOLEAN NOT NULL,
  autograd_set_detect_anomaly BOOLEAN NOT NULL,
  emit_nvtx                   BOOLEAN NOT NULL,
  amp_enabled                 BOOLEAN NOT NULL
);

CREATE TABLE read_only_domains (
  id             INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  domain_name_id INTEGER NOT NULL REFERENCES dictionary (id) CASCADES
);

CREATE TABLE read_only_ops (
  id                   INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  domain_id            INTEGER NOT NULL REFERENCES read_only_domains (id) CASCADES,
  op_id_id             INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  op_id                STRING  NOT NULL,
  op_name              STRING  NOT NULL,
  op_type_id           INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  device_id            INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  tc_support_status    INTEGER NOT NULL,
  data_type_id         INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  data_format_id       INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  output_format_id     INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  parameters_format_id INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  direction_id         INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  stack_trace          STRING
);

CREATE TABLE read_only_sub_ops (
  id         INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  op_id      INTEGER NOT NULL REFERENCES read_only_ops (id) CASCADES,
  start_time INTEGER NOT NULL,
  stop_time  INTEGER NOT NULL
);

CREATE TABLE read_only_op_instances (
  id               INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  read_only_ops_id INTEGER NOT NULL REFERENCES read_only_ops (id) CASCADES,
  cpu_start        INTEGER NOT NULL,
  cpu_stop         INTEGER NOT NULL,
  process_id       INTEGER NOT NULL,
  thread_id        INTEGER NOT NULL,
  input_names_id   INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  input_shapes_id  INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  output_names_id  INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  output_shapes_id INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  parameters_id    INTEGER NOT NULL REFERENCES dictionary (id) CASCADES
);

CREATE TABLE read_only_kernels (
  id               INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  read_only_ops_id INTEGER NOT NULL,
  op_instance      INTEGER NOT NULL,
  name_id          INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  long_name_id     INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  uses_tc          BOOLEAN NOT NULL CHECK (uses_tc IN (0, 1)),
  api_start        INTEGER NOT NULL,
  api_stop         INTEGER NOT NULL,
  gpu_start        INTEGER NOT NULL,
  gpu_stop         INTEGER NOT NULL,
  grid_id          INTEGER NOT NULL REFERENCES read_only_grid_block (id) CASCADES,
  block_id         INTEGER NOT NULL REFERENCES read_only_grid_block (id) CASCADES,
  device_id        INTEGER NOT NULL REFERENCES read_only_gpu_infos (device_id) CASCADES,
  process_id       INTEGER NOT NULL,
  thread_id        INTEGER NOT NULL
);

CREATE TABLE read_only_memsets (
  id               INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  read_only_ops_id INTEGER NOT NULL,
  op_instance      INTEGER NOT NULL,
  name_id          INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  api_start        INTEGER NOT NULL,
  api_stop         INTEGER NOT NULL,
  gpu_start        INTEGER NOT NULL,
  gpu_stop         INTEGER NOT NULL,
  num_bytes        INTEGER NOT NULL,
  device_id        INTEGER NOT NULL REFERENCES read_only_gpu_infos (device_id) CASCADES,
  process_id       INTEGER NOT NULL,
  thread_id        INTEGER NOT NULL
);

CREATE TABLE read_only_memcpys (
  id               INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  read_only_ops_id INTEGER NOT NULL,
  op_instance      INTEGER NOT NULL,
  name_id          INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  api_start        INTEGER NOT NULL,
  api_stop         INTEGER NOT NULL,
  gpu_start        INTEGER NOT NULL,
  gpu_stop         INTEGER NOT NULL,
  num_bytes        INTEGER NOT NULL,
  copy_kind        INTEGER NOT NULL,
  device_id        INTEGER NOT NULL REFERENCES read_only_gpu_infos (device_id) CASCADES,
  process_id       INTEGER NOT NULL,
  thread_id        INTEGER NOT NULL
);

CREATE TABLE read_only_cuda_syncs (
  id               INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  read_only_ops_id INTEGER NOT NULL,
  op_instance      INTEGER NOT NULL,
  name_id          INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  api_start        INTEGER NOT NULL,
  api_stop         INTEGER NOT NULL,
  gpu_start        INTEGER NOT NULL,
  gpu_stop         INTEGER NOT NULL,
  sync_type        INTEGER NOT NULL,
  event_id         INTEGER NOT NULL,
  device_id        INTEGER NOT NULL REFERENCES read_only_gpu_infos (device_id) CASCADES,
  process_id       INTEGER NOT NULL,
  thread_id        INTEGER NOT NULL
);

CREATE TABLE read_only_cuda_calls (
  id               INTEGER UNIQUE PRIMARY KEY AUTOINCREMENT,
  read_only_ops_id INTEGER NOT NULL,
  op_instance      INTEGER NOT NULL,
  name_id          INTEGER NOT NULL REFERENCES dictionary (id) CASCADES,
  api_start        INTEGER NOT NULL,
  api_stop         INTEGER NOT NULL,
  process_id       INTEGER NOT NULL,
  thread_id        INTEGER NOT NULL
);
)sql";

const char* const kRawIndexes = R"sql(
CREATE UNIQUE INDEX unique_read_only_ops ON read_only_ops (domain_id, op_id_id);
CREATE UNIQUE INDEX unique_read_only_kernels
  ON read_only_kernels (api_start, gpu_start, thread_id, read_only_ops_id);
)sql";

}  // namespace dlview::generate::dlprof
