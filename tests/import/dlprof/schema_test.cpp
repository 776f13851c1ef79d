// Tables and columns that a database may lack, and those that it may not.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::import::dlprof {
namespace {

using profile::Profile;
using ::testing::HasSubstr;

bool lacks(const Profile& profile, const std::string& what) {
  return std::any_of(profile.not_recorded.begin(), profile.not_recorded.end(),
                     [&](const auto& entry) {
                       EXPECT_NE(entry.remedy, "") << entry.what;
                       return entry.what == what;
                     });
}

class RequiredTable : public testing::DlprofTest,
                      public ::testing::WithParamInterface<const char*> {};
TEST_P(RequiredTable, IsNamedWhenItIsMissing) {
  const base::Error error = error_with("DROP TABLE " + std::string(GetParam()) + ";");
  EXPECT_EQ(error.title, "The database lacks a table");
  EXPECT_THAT(error.detail, HasSubstr(GetParam()));
  EXPECT_NE(error.advice, "");
}
INSTANTIATE_TEST_SUITE_P(All, RequiredTable,
                         ::testing::Values("db_version", "dictionary", "read_only_system_config",
                                           "read_only_gpu_infos", "read_only_ops",
                                           "read_only_op_instances", "read_only_kernels"));

struct ColumnCase {
  const char* table;
  const char* column;
};
class RequiredColumn : public testing::DlprofTest,
                       public ::testing::WithParamInterface<ColumnCase> {};
TEST_P(RequiredColumn, IsNamedWhenItIsMissing) {
  const auto& [table, column] = GetParam();
  const base::Error error =
      error_with("ALTER TABLE " + std::string(table) + " RENAME COLUMN " + column + " TO other;");
  EXPECT_EQ(error.title, "The database lacks a column");
  EXPECT_THAT(error.detail, HasSubstr(table));
  EXPECT_THAT(error.detail, HasSubstr(column));
}
INSTANTIATE_TEST_SUITE_P(All, RequiredColumn,
                         ::testing::Values(ColumnCase{"db_version", "current_version"},
                                           ColumnCase{"dictionary", "string"},
                                           ColumnCase{"read_only_system_config", "is_valid"},
                                           ColumnCase{"read_only_ops", "op_name"},
                                           ColumnCase{"read_only_op_instances", "cpu_stop"},
                                           ColumnCase{"read_only_kernels", "gpu_start"},
                                           ColumnCase{"read_only_memcpys", "op_instance"},
                                           ColumnCase{"read_only_cuda_calls", "api_stop"}));

struct LackCase {
  const char* change;
  const char* what;
};
class Optional : public testing::DlprofTest, public ::testing::WithParamInterface<LackCase> {};
TEST_P(Optional, ListsNotRecordedWithoutNotes) {
  const Profile profile = open_with(GetParam().change);
  EXPECT_TRUE(profile.quality.empty());
  EXPECT_EQ(profile.kernels.size(), 2U);
  EXPECT_TRUE(lacks(profile, GetParam().what));
}
INSTANTIATE_TEST_SUITE_P(
    All, Optional,
    ::testing::Values(
        LackCase{"DROP TABLE gpu_memories;", "GPU memory"},
        LackCase{"UPDATE gpu_memories SET total = 0, used = 0;", "GPU memory"},
        LackCase{"DROP TABLE read_only_grid_block;", "Grid and block sizes of kernels"},
        LackCase{"DROP TABLE read_only_model_config;",
                 "Model configuration (data loader workers, cuDNN benchmark, AMP)"},
        LackCase{"DROP TABLE read_only_memcpys;", "Copies between host and GPU"},
        LackCase{"DROP TABLE read_only_memsets;", "Memsets"},
        LackCase{"DROP TABLE read_only_cuda_syncs;", "CUDA synchronizations"},
        LackCase{"DROP TABLE read_only_cuda_calls;", "CUDA API calls without GPU activity"},
        LackCase{"DROP TABLE read_only_domains;", "Name of the NVTX domain"},
        LackCase{"DROP TABLE model_summary; DROP TABLE iteration_key; DROP TABLE iteration_list;"
                 "DROP TABLE iteration_aggregation_list; DROP TABLE expert_systems_feedback;"
                 "DROP TABLE aggregations;",
                 "Aggregations made by DLProf"},
        LackCase{"ALTER TABLE read_only_kernels DROP COLUMN long_name_id;", "Long kernel names"},
        LackCase{"ALTER TABLE read_only_ops DROP COLUMN stack_trace;", "Stack traces"},
        LackCase{"UPDATE read_only_ops SET stack_trace = '';", "Stack traces"},
        LackCase{"ALTER TABLE iteration_aggregation_list DROP COLUMN io_duration;", "I/O time"},
        LackCase{"", "I/O time"},
        LackCase{"", "Streams, CUDA graphs, NVTX ranges, OS runtime and MPI events"},
        LackCase{"UPDATE iteration_aggregation_list SET io_duration = 5;",
                 "I/O time outside the stored aggregations"},
        LackCase{"UPDATE iteration_key SET key_node_id = 6;", "Iterations: DLProf found no key op"},
        LackCase{"UPDATE iteration_key SET key_node_id = 9;",
                 "Iterations: the key op \"gemm\" is not an op of the run"},
        LackCase{"INSERT INTO dictionary VALUES(50, 'IDLE_1'); INSERT INTO read_only_ops VALUES(9, "
                 "1, 50, 'IDLE_1', '/net/idle', 3, 6, 0, 5, 6, 6, 6, 4, ''); UPDATE iteration_key "
                 "SET key_node_id = 50;",
                 "Iterations: the key op \"IDLE_1\" has no usable instance"},
        LackCase{"UPDATE iteration_key SET key_node_id = 9; INSERT INTO aggregations VALUES(2, '', "
                 "'', '', 0); INSERT INTO iteration_key VALUES(2, 2, 2); INSERT INTO "
                 "iteration_list VALUES(9, 2, 0, 0, 6000); INSERT INTO model_summary VALUES(2, 2, "
                 "0, 0);",
                 "Iterations: the key op \"gemm\" is not an op of the run"}));

using Schema = testing::DlprofTest;

TEST_F(Schema, WhatIsRecordedIsNotListed) {
  const Profile profile = open_with("");
  for (const char* what : {"GPU memory", "GPU kernels", "Stack traces", "Long kernel names"}) {
    EXPECT_FALSE(lacks(profile, what)) << what;
  }
  EXPECT_EQ(profile.not_recorded.size(), 2U);  // I/O time, and what no DLProf database has
}

TEST_F(Schema, IgnoresMarkersWithoutUsableInstances) {
  const Profile profile =
      open_with("UPDATE read_only_op_instances SET cpu_stop = 0 WHERE read_only_ops_id = 1;");
  EXPECT_TRUE(lacks(profile, "Iterations: the key op \"CONV2D_1\" has no usable instance"));
}

TEST_F(Schema, ListsMissingKernels) {
  const Profile profile = open_with("DELETE FROM read_only_kernels;");
  EXPECT_EQ(profile.kernels.size(), 0U);
  EXPECT_TRUE(lacks(profile, "GPU kernels"));
}

TEST_F(Schema, ExplainsHowToRecordOps) {
  const Profile profile = open_with(
      "DELETE FROM read_only_ops; DELETE FROM read_only_op_instances; DELETE FROM "
      "read_only_kernels; DELETE FROM read_only_memcpys; DELETE FROM read_only_memsets; DELETE "
      "FROM read_only_cuda_syncs; DELETE FROM read_only_cuda_calls;");
  EXPECT_TRUE(lacks(profile, "Ops"));
  EXPECT_EQ(profile.last_ns, 0);
}

TEST_F(Schema, RejectsAViewAsATable) {
  const base::Error error = error_with(
      "ALTER TABLE read_only_kernels RENAME TO k; CREATE VIEW read_only_kernels AS SELECT * FROM "
      "k;");
  EXPECT_EQ(error.title, "The database lacks a table");
}

}  // namespace
}  // namespace dlview::import::dlprof
