// Rows that cannot be used are counted and listed, one case for each rule.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/quality_log.h"
#include "import/test_database.h"

namespace dlview::import::dlprof {
namespace {

using profile::Profile;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct QualityCase {
  const char* change;
  const char* table;
  const char* reason;
  const char* example;
  int64_t rows = 1;
};

class Quality : public testing::DlprofTest, public ::testing::WithParamInterface<QualityCase> {};

TEST_P(Quality, IsNotedWithTableReasonCountAndExample) {
  const Profile profile = open_with(GetParam().change);
  ASSERT_FALSE(profile.quality.empty());
  const profile::QualityNote& note = profile.quality[0];
  EXPECT_EQ(note.table, GetParam().table);
  EXPECT_EQ(note.reason, GetParam().reason);
  EXPECT_EQ(note.rows, GetParam().rows);
  EXPECT_EQ(note.first_example, GetParam().example);
}

constexpr const char* kKernels = "read_only_kernels";
constexpr const char* kInstances = "read_only_op_instances";
INSTANTIATE_TEST_SUITE_P(
    Kernels, Quality,
    ::testing::Values(
        QualityCase{"UPDATE read_only_kernels SET read_only_ops_id = 99;", kKernels,
                    "its op does not exist", "row 1: read_only_ops_id is 99", 2},
        QualityCase{"UPDATE read_only_kernels SET op_instance = 2 WHERE id = 2;", kKernels,
                    "its op has no such instance", "row 2: op_instance is 2"},
        QualityCase{"UPDATE read_only_kernels SET op_instance = -1 WHERE id = 2;", kKernels,
                    "its op has no such instance", "row 2: op_instance is -1"},
        QualityCase{"UPDATE read_only_kernels SET device_id = 5 WHERE id = 1;", kKernels,
                    "its GPU is not in read_only_gpu_infos", "row 1: device_id is 5"},
        QualityCase{"UPDATE read_only_kernels SET gpu_stop = 1100 WHERE id = 1;", kKernels,
                    "it stops before it starts",
                    "row 1: gpu_start is 1200 ns, gpu_stop is 1100 ns"},
        QualityCase{"UPDATE read_only_kernels SET api_stop = 7 WHERE id = 1;", kKernels,
                    "it stops before it starts", "row 1: api_start is 1100 ns, api_stop is 7 ns"},
        QualityCase{"UPDATE read_only_kernels SET api_start = -7 WHERE id = 1;", kKernels,
                    "it starts before the capture",
                    "row 1: api_start is -7 ns, api_stop is 1150 ns"},
        QualityCase{"UPDATE read_only_kernels SET gpu_stop = 9223372036854775807 WHERE id = 1;",
                    kKernels, "it stops more than 104 days after the start of the capture",
                    "row 1: gpu_start is 1200 ns, gpu_stop is 9223372036854775807 ns"},
        QualityCase{"UPDATE read_only_kernels SET gpu_stop = 'late' WHERE id = 1;", kKernels,
                    "a value is not an integer", "row 1: gpu_stop is none"},
        QualityCase{"UPDATE read_only_kernels SET uses_tc = NULL;", kKernels,
                    "a value is not an integer", "row 1: uses_tc is none", 2},
        QualityCase{"UPDATE read_only_kernels SET name_id = 77 WHERE id = 1;", kKernels,
                    "a text is not in the dictionary; the row is used with an empty text",
                    "row 1: name_id 77 does not exist"},
        QualityCase{"UPDATE read_only_kernels SET grid_id = 77 WHERE id = 1;", kKernels,
                    "grid or block size missing; row kept without it", "row 1: grid_id is 77"}));

INSTANTIATE_TEST_SUITE_P(
    OpsAndInstances, Quality,
    ::testing::Values(
        QualityCase{"UPDATE read_only_ops SET tc_support_status = 9 WHERE id = 2;", "read_only_ops",
                    "unknown tc_support_status", "row 2: tc_support_status is 9"},
        QualityCase{"UPDATE read_only_ops SET op_type_id = 77 WHERE id = 2;", "read_only_ops",
                    "a text is not in the dictionary; the row is used with an empty text",
                    "row 2: op_type_id 77 does not exist"},
        QualityCase{"UPDATE read_only_op_instances SET read_only_ops_id = 9 WHERE id = 3;",
                    kInstances, "its op does not exist", "row 3: read_only_ops_id is 9"},
        QualityCase{"UPDATE read_only_op_instances SET cpu_stop = 4999 WHERE id = 3;", kInstances,
                    "it stops before it starts", "row 3: from 5000 ns to 4999 ns"},
        QualityCase{"UPDATE read_only_op_instances SET thread_id = 0.5 WHERE id = 3;", kInstances,
                    "a value is not an integer", "row 3: thread_id is none"},
        QualityCase{"INSERT INTO read_only_domains VALUES(2, 8);", "read_only_domains",
                    "more than one NVTX domain; dlview combines their ops",
                    "row 2: domain \"cuda\""}));

INSTANTIATE_TEST_SUITE_P(
    OtherEvents, Quality,
    ::testing::Values(
        QualityCase{"UPDATE read_only_memcpys SET num_bytes = -1;", "read_only_memcpys",
                    "its size is negative", "row 1: num_bytes is -1"},
        QualityCase{"UPDATE read_only_memcpys SET copy_kind = 1000;", "read_only_memcpys",
                    "unknown copy kind", "row 1: copy_kind is 1000"},
        QualityCase{"UPDATE read_only_memsets SET device_id = 4;", "read_only_memsets",
                    "its GPU is not in read_only_gpu_infos", "row 1: device_id is 4"},
        QualityCase{"UPDATE read_only_cuda_syncs SET sync_type = 4294967296;",
                    "read_only_cuda_syncs", "unknown synchronization kind",
                    "row 1: sync_type is 4294967296"},
        QualityCase{"UPDATE read_only_cuda_calls SET op_instance = 3;", "read_only_cuda_calls",
                    "its op has no such instance", "row 1: op_instance is 3"}));

INSTANTIATE_TEST_SUITE_P(
    Devices, Quality,
    ::testing::Values(
        QualityCase{"INSERT INTO read_only_gpu_infos VALUES(3, 0, 'again', 7, 5, 40);",
                    "read_only_gpu_infos", "another GPU has the same device_id",
                    "row 3: device_id 0"},
        QualityCase{"INSERT INTO gpu_memories VALUES(3, 8, 8);", "gpu_memories",
                    "no GPU for this row", "row 3: of 2 GPUs"},
        QualityCase{"UPDATE read_only_grid_block SET y = -1 WHERE id = 1;", "read_only_grid_block",
                    "a size is negative or too large", "row 1: 8 x -1 x 1"}));

INSTANTIATE_TEST_SUITE_P(
    Aggregations, Quality,
    ::testing::Values(
        QualityCase{"DELETE FROM model_summary;", "aggregations", "it has no row in model_summary",
                    "row 1: iterations 0 to 0, 3 listed"},
        QualityCase{"UPDATE model_summary SET iter_stop = 3;", "aggregations",
                    "its range is not in its iteration list", "row 1: iterations 1 to 3, 3 listed"},
        QualityCase{"UPDATE iteration_list SET iter_value = iter_value + 1;", "aggregations",
                    "its iterations are not numbered 0, 1, 2 and so on",
                    "row 1: iteration 1 in place 0"},
        QualityCase{"DELETE FROM iteration_list WHERE iter_value = 1;", "aggregations",
                    "its iterations are not numbered 0, 1, 2 and so on",
                    "row 1: iteration 2 in place 1"},
        QualityCase{"INSERT INTO iteration_list VALUES(9, 1, 1, 7000, 8000);", "aggregations",
                    "its iterations are not numbered 0, 1, 2 and so on",
                    "row 1: iteration 1 in place 2"},
        QualityCase{"UPDATE iteration_list SET stop_time = 5000 WHERE iter_value = 1;",
                    "aggregations", "its iterations do not follow each other in time",
                    "row 1: iteration 2 starts at 5000 ns, the one before stops at 5000 ns"},
        QualityCase{"UPDATE iteration_list SET stop_time = 2000 WHERE iter_value = 1;",
                    "aggregations", "op instances begin between its iterations",
                    "row 1: one at 3000 ns, before iteration 2"},
        QualityCase{"UPDATE iteration_list SET start_time = 9000, stop_time = 9999 WHERE "
                    "iter_value = 0;",
                    "aggregations", "its iterations do not follow each other in time",
                    "row 1: iteration 1 starts at 1000 ns, the one before stops at 9999 ns"},
        QualityCase{"DELETE FROM iteration_list;", "aggregations",
                    "its range is not in its iteration list", "row 1: iterations 1 to 2, 0 listed"},
        QualityCase{"UPDATE model_summary SET iter_start = -1;", "aggregations",
                    "its range is not in its iteration list",
                    "row 1: iterations -1 to 2, 3 listed"},
        QualityCase{"UPDATE iteration_aggregation_list SET io_duration = 1001 WHERE iter_value = "
                    "2;",
                    "iteration_aggregation_list",
                    "its I/O time does not fit into the iteration; none is used",
                    "row 1: iteration 2, 1001 ns"},
        QualityCase{"UPDATE iteration_aggregation_list SET io_duration = -1;",
                    "iteration_aggregation_list",
                    "its I/O time does not fit into the iteration; none is used",
                    "row 1: iteration 1, -1 ns"},
        QualityCase{"UPDATE iteration_list SET aggr_id = 4 WHERE id = 1;", "iteration_list",
                    "its aggregation does not exist", "row 1: aggr_id is 4"},
        QualityCase{"UPDATE iteration_list SET stop_time = -1 WHERE id = 1;", "iteration_list",
                    "it stops before it starts", "row 1: iteration 0"},
        QualityCase{"UPDATE iteration_key SET key_node_id = 77;", "iteration_key",
                    "its key op is not in the dictionary", "row 1: key_node_id is 77"}));

using QualityOfInstances = testing::DlprofTest;

// Events count the instances of the file, so one that is unusable must keep its place.
TEST_F(QualityOfInstances, CountsUnusableInstances) {
  for (const char* change : {"UPDATE read_only_op_instances SET cpu_stop = 0 WHERE id = 1;",
                             "UPDATE read_only_op_instances SET cpu_stop = 'x' WHERE id = 1;"}) {
    const Profile profile = open_with(change);
    ASSERT_EQ(profile.kernels.size(), 1U);
    EXPECT_EQ(profile.kernels.source_id[0], 2);
    EXPECT_EQ(profile.instances.source_id[profile.kernels.instance[0]], 3);
    ASSERT_GE(profile.quality.size(), 2U);
    EXPECT_EQ(profile.quality[1].reason, "its op instance could not be used");
    std::filesystem::remove(path());
  }
}

TEST_F(QualityOfInstances, KeepsTimesWithoutTexts) {
  const Profile profile = open_with("UPDATE read_only_kernels SET name_id = 77, grid_id = 88;");
  ASSERT_EQ(profile.kernels.size(), 2U);
  EXPECT_EQ(profile.text(profile.kernels.name[0]), "");
  EXPECT_EQ(profile.kernels.gpu_stop_ns[0] - profile.kernels.gpu_start_ns[0], 300);
  EXPECT_EQ(profile.launches.grid[profile.kernels.launch[0]], (profile::Dim3{0, 0, 0}));
}

struct Rejection {
  const char* table;
  const char* change;  // of every row of the table
};
class RejectedEvent : public testing::DlprofTest,
                      public ::testing::WithParamInterface<Rejection> {};

// Thread 99 and text 77 would show if the row were looked at before it is known to be used.
TEST_P(RejectedEvent, AddsNoThreadAndNoNote) {
  const std::string table = GetParam().table;
  const Profile profile = open_with("UPDATE " + table + " SET thread_id = 99, name_id = 77, " +
                                    GetParam().change + ";");
  ASSERT_EQ(profile.quality.size(), 1U);
  EXPECT_EQ(profile.quality[0].table, table);
  for (const profile::Thread& thread : profile.threads) EXPECT_NE(thread.thread_id, 99);
}
INSTANTIATE_TEST_SUITE_P(All, RejectedEvent,
                         ::testing::Values(Rejection{"read_only_kernels", "device_id = 9"},
                                           Rejection{"read_only_kernels", "gpu_stop = 0"},
                                           Rejection{"read_only_memcpys", "num_bytes = -1"},
                                           Rejection{"read_only_memcpys", "copy_kind = 1000"},
                                           Rejection{"read_only_memsets", "device_id = 9"},
                                           Rejection{"read_only_cuda_syncs",
                                                     "sync_type = 4294967296"},
                                           Rejection{"read_only_cuda_calls", "op_instance = 9"},
                                           Rejection{"read_only_cuda_calls", "api_stop = 0"}));

TEST(QualityLog, DescribesOnlyTheFirstRow) {
  QualityLog log;
  int described = 0;
  for (int64_t row = 1; row <= 1000; ++row) {
    log.add("table", "reason", row, [&] { return "text " + std::to_string(++described); });
  }
  log.add("table", "another", 5, [] { return "x"; });
  const auto notes = std::move(log).finish();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].rows, 1000);
  EXPECT_EQ(notes[0].first_example, "row 1: text 1");
  EXPECT_EQ(described, 1);
}

}  // namespace
}  // namespace dlview::import::dlprof
