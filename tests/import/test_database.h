// A small but complete DLProf database for tests, and a connection to break single things in it:
// op 1 (CONV2D_1) has instances 1 and 3, op 2 (CUDA_1) has instance 2; two kernels on two GPUs, one
// row in each other event table, one stored aggregation of three iterations.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/progress.h"
#include "import/open.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::testing {

// A writing connection; throws what goes wrong.
class TestDatabase {
 public:
  explicit TestDatabase(const std::filesystem::path& path) {
    if (sqlite3_open(path.c_str(), &connection_) != SQLITE_OK) throw std::runtime_error("open");
    execute("PRAGMA synchronous = OFF;");
  }
  ~TestDatabase() { sqlite3_close(connection_); }
  TestDatabase(TestDatabase&& other) noexcept
      : connection_(std::exchange(other.connection_, nullptr)) {}
  TestDatabase& operator=(TestDatabase&&) = delete;

  void execute(const std::string& sql) {
    char* message = nullptr;
    if (sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return;
    const std::string text = message == nullptr ? "?" : message;
    sqlite3_free(message);
    throw std::runtime_error(text + " in " + sql);
  }

 private:
  sqlite3* connection_ = nullptr;
};

inline constexpr const char* kDlprofSchema = R"(
CREATE TABLE db_version(id INTEGER PRIMARY KEY, current_version TEXT, original_version TEXT);
CREATE TABLE dictionary(id INTEGER PRIMARY KEY, string TEXT NOT NULL UNIQUE);
CREATE TABLE read_only_domains(id INTEGER PRIMARY KEY, domain_name_id INTEGER);
CREATE TABLE read_only_system_config(id INTEGER PRIMARY KEY, is_valid BOOLEAN, num_gpus TEXT,
  cpu_model TEXT, driver_version TEXT, framework TEXT, cuda_version TEXT, cudnn_version TEXT,
  nsys_version TEXT, dlprof_version TEXT, dlprof_build TEXT, profile_name TEXT,
  mode_enum INTEGER, mode_string TEXT, original_command TEXT);
CREATE TABLE read_only_model_config(id INTEGER PRIMARY KEY, num_workers INTEGER,
  pin_memory BOOLEAN, cudnn_benchmark_disabled BOOLEAN, detect_anomaly BOOLEAN,
  gradcheck BOOLEAN, gradgradcheck BOOLEAN, autograd_profile BOOLEAN,
  autograd_set_detect_anomaly BOOLEAN, emit_nvtx BOOLEAN, amp_enabled BOOLEAN);
CREATE TABLE read_only_gpu_infos(id INTEGER PRIMARY KEY, device_id INTEGER, gpu_name TEXT,
  compute_capability_major INTEGER, compute_capability_minor INTEGER, sm_count INTEGER);
CREATE TABLE gpu_memories(id INTEGER PRIMARY KEY, total INTEGER, used INTEGER);
CREATE TABLE read_only_grid_block(id INTEGER PRIMARY KEY, x INTEGER, y INTEGER, z INTEGER);
CREATE TABLE read_only_ops(id INTEGER PRIMARY KEY, domain_id INTEGER, op_id_id INTEGER,
  op_id STRING, op_name STRING, op_type_id INTEGER, device_id INTEGER, tc_support_status INTEGER,
  data_type_id INTEGER, data_format_id INTEGER, output_format_id INTEGER,
  parameters_format_id INTEGER, direction_id INTEGER, stack_trace STRING);
CREATE TABLE read_only_op_instances(id INTEGER PRIMARY KEY, read_only_ops_id INTEGER,
  cpu_start INTEGER, cpu_stop INTEGER, process_id INTEGER, thread_id INTEGER,
  input_names_id INTEGER, input_shapes_id INTEGER, output_names_id INTEGER,
  output_shapes_id INTEGER, parameters_id INTEGER);
CREATE TABLE read_only_kernels(id INTEGER PRIMARY KEY, read_only_ops_id INTEGER,
  op_instance INTEGER, name_id INTEGER, long_name_id INTEGER, uses_tc BOOLEAN, api_start INTEGER,
  api_stop INTEGER, gpu_start INTEGER, gpu_stop INTEGER, grid_id INTEGER, block_id INTEGER,
  device_id INTEGER, process_id INTEGER, thread_id INTEGER);
CREATE TABLE read_only_memcpys(id INTEGER PRIMARY KEY, read_only_ops_id INTEGER,
  op_instance INTEGER, name_id INTEGER, api_start INTEGER, api_stop INTEGER, gpu_start INTEGER,
  gpu_stop INTEGER, num_bytes INTEGER, copy_kind INTEGER, device_id INTEGER, process_id INTEGER,
  thread_id INTEGER);
CREATE TABLE read_only_memsets(id INTEGER PRIMARY KEY, read_only_ops_id INTEGER,
  op_instance INTEGER, name_id INTEGER, api_start INTEGER, api_stop INTEGER, gpu_start INTEGER,
  gpu_stop INTEGER, num_bytes INTEGER, device_id INTEGER, process_id INTEGER, thread_id INTEGER);
CREATE TABLE read_only_cuda_syncs(id INTEGER PRIMARY KEY, read_only_ops_id INTEGER,
  op_instance INTEGER, name_id INTEGER, api_start INTEGER, api_stop INTEGER, gpu_start INTEGER,
  gpu_stop INTEGER, sync_type INTEGER, event_id INTEGER, device_id INTEGER, process_id INTEGER,
  thread_id INTEGER);
CREATE TABLE read_only_cuda_calls(id INTEGER PRIMARY KEY, read_only_ops_id INTEGER,
  op_instance INTEGER, name_id INTEGER, api_start INTEGER, api_stop INTEGER, process_id INTEGER,
  thread_id INTEGER);
CREATE TABLE aggregations(id INTEGER PRIMARY KEY, server_user_name TEXT, server_host_name TEXT,
  start_timestamp INTEGER, end_timestamp INTEGER);
CREATE TABLE iteration_key(id INTEGER PRIMARY KEY, aggr_id INTEGER, key_node_id INTEGER);
CREATE TABLE iteration_list(id INTEGER PRIMARY KEY, aggr_id INTEGER, iter_value INTEGER,
  start_time INTEGER, stop_time INTEGER);
CREATE TABLE iteration_aggregation_list(id INTEGER PRIMARY KEY, aggr_id INTEGER,
  iter_value INTEGER, io_duration INTEGER);
CREATE TABLE model_summary(id INTEGER PRIMARY KEY, aggr_id INTEGER, iter_start INTEGER,
  iter_stop INTEGER);
CREATE TABLE expert_systems_feedback(id INTEGER PRIMARY KEY, aggr_id INTEGER, exp_sys_id TEXT);
)";

inline constexpr const char* kDlprofRows = R"(
INSERT INTO db_version VALUES(1, '1.8.0', '1.7.0');
INSERT INTO dictionary VALUES(1, 'default-domain'), (2, 'CONV2D_1'), (3, 'conv2d'), (4, 'fprop'),
  (5, 'float32'), (6, ''), (7, 'CUDA_1'), (8, 'cuda'), (9, 'gemm'), (10, 'void gemm<float>()'),
  (11, 'cudaMemcpyAsync'), (12, 'cudaMemsetAsync'), (13, 'cudaStreamSynchronize'),
  (14, 'cudaEventQuery'), (15, '[[1,3,32,32]]' || char(10)), (16, 'null' || char(10)),
  (17, 'N,C,H,W;K,C,R,S');
INSERT INTO read_only_domains VALUES(1, 1);
INSERT INTO read_only_system_config VALUES(1, 1, '2', 'a processor', '515.43', 'PyTorch 1.10',
  '11.7', '8.2', '2022.1', 'v1.8.0', '29839685', 'my run', 4, 'pytorch', 'dlprof train.py');
INSERT INTO read_only_model_config VALUES(1, 3, 1, 1, 0, 0, 0, 0, 0, 1, 0);
INSERT INTO read_only_gpu_infos VALUES(1, 1, 'second', 8, 0, 108), (2, 0, 'first', 7, 5, 40);
INSERT INTO gpu_memories VALUES(1, 2000, 200), (2, 1000, 100);
INSERT INTO read_only_grid_block VALUES(1, 8, 2, 1), (2, 128, 1, 1);
INSERT INTO read_only_ops VALUES
  (1, 1, 2, 'CONV2D_1', '/net/conv2d', 3, 6, 0, 5, 17, 6, 6, 4, 'train.py:35'),
  (2, 1, 7, 'CUDA_1', '/net/cuda', 8, 6, 3, 6, 6, 6, 6, 4, '');
INSERT INTO read_only_op_instances VALUES
  (1, 1, 1000, 2000, 70, 71, 6, 15, 16, 16, 16),
  (2, 2, 3000, 4000, 70, 72, 6, 16, 16, 16, 16),
  (3, 1, 5000, 6000, 70, 71, 6, 15, 16, 16, 16);
INSERT INTO read_only_kernels VALUES
  (1, 1, 0, 9, 10, 0, 1100, 1150, 1200, 1500, 1, 2, 0, 70, 71),
  (2, 1, 1, 9, 10, 1, 5100, 5150, 5200, 5600, 1, 2, 1, 70, 71);
INSERT INTO read_only_memcpys VALUES(1, 2, 0, 11, 3100, 3150, 3200, 3300, 4096, 1, 0, 70, 72);
INSERT INTO read_only_memsets VALUES(1, 1, 0, 12, 1010, 1020, 1030, 1040, 512, 0, 70, 71);
INSERT INTO read_only_cuda_syncs VALUES(1, 2, 0, 13, 3400, 3500, 0, 0, 3, 4294967295, 0, 70, 72);
INSERT INTO read_only_cuda_calls VALUES(1, 1, 1, 14, 5700, 5710, 70, 71);
INSERT INTO aggregations VALUES(1, 'user', 'host', '2023-01-25 17:10:44', 0);
INSERT INTO iteration_key VALUES(1, 1, 2);
INSERT INTO iteration_list VALUES(1, 1, 0, 0, 999), (2, 1, 1, 1000, 4999), (3, 1, 2, 5000, 6000);
INSERT INTO iteration_aggregation_list VALUES(1, 1, 1, 0), (2, 1, 2, 0);
INSERT INTO model_summary VALUES(1, 1, 1, 2);
INSERT INTO expert_systems_feedback VALUES(1, 1, 'amp_detector');
)";

inline std::filesystem::path write_dlprof_database(const std::filesystem::path& path,
                                                   const std::string& changes = "") {
  TestDatabase database(path);
  database.execute(std::string("BEGIN;") + kDlprofSchema + kDlprofRows + "COMMIT;");
  database.execute(changes);
  return path;
}

inline std::filesystem::path write_file(const std::filesystem::path& path,
                                        const std::string& contents) {
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}

// Every file of a folder with its contents and time of change.
using FolderState = std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>>;
inline FolderState state_of(const std::filesystem::path& folder) {
  FolderState state;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    state[entry.path().string()] = {contents_of(entry.path()), entry.last_write_time()};
  }
  return state;
}

inline base::Result<profile::Profile> open_for_test(const std::filesystem::path& path) {
  base::Progress progress;
  return import::open_profile(path, progress);
}

inline std::string error_of(const base::Result<profile::Profile>& result) {
  return result ? "" : base::to_text(result.error());
}

// Tests that write one database and look at the profile that comes out of it.
class DlprofTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "profile.sqlite"; }

  // The profile of the test database after some SQL; an empty one if it cannot be opened.
  profile::Profile open_with(const std::string& changes) {
    base::Result<profile::Profile> result = open_for_test(write_dlprof_database(path(), changes));
    EXPECT_TRUE(result.ok()) << error_of(result);
    return result ? std::move(*result) : profile::Profile();
  }

  base::Error error_with(const std::string& changes) {
    const base::Result<profile::Profile> result =
        open_for_test(write_dlprof_database(path(), changes));
    EXPECT_FALSE(result.ok());
    return result ? base::Error{} : result.error();
  }

  TemporaryFolder folder_;
};

}  // namespace dlview::testing
