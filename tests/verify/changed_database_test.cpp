// A generated database, in which one stored value is changed: verify finds that one and no other.

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/progress.h"
#include "generate/dlprof.h"
#include "support/test_data.h"
#include "verify/verify.h"

namespace dlview::verify {
namespace {

namespace fs = std::filesystem;

// Made once for all tests of this file.
const fs::path& original() {
  static const testing::TemporaryFolder folder;
  static const fs::path path = [] {
    generate::DemoOptions options;
    options.iterations = 12;
    options.kernels = 4'000;
    options.gpus = 2;
    base::Progress progress;
    const fs::path file = folder.path() / "generated.sqlite";
    const base::Status status = generate::generate_dlprof(file, options, progress);
    EXPECT_TRUE(status.ok());
    return file;
  }();
  return path;
}

// The number of rows that `sql` changed.
int execute(const fs::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  const int changes = sqlite3_total_changes(database);
  sqlite3_close(database);
  return changes;
}

const Check& check_of(const Verification& verification, const std::string& table) {
  const auto& tables = verification.aggregations.front().tables;
  return *std::find_if(tables.begin(), tables.end(),
                       [&](const Check& check) { return check.name == table; });
}

struct Change {
  const char* name;
  const char* sql;  // changes one row
  const char* table;
  const char* column;  // "" when the row is gone
};
void PrintTo(const Change& change, std::ostream* out) {
  *out << change.sql;
}

class ChangedDatabase : public ::testing::TestWithParam<Change> {};

TEST_P(ChangedDatabase, IsFoundToDifferInExactlyThatValue) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "changed.sqlite";
  fs::copy_file(original(), path);
  ASSERT_EQ(execute(path, GetParam().sql), 1);

  base::Progress progress;
  const auto verification = verify_database(path, std::nullopt, progress);
  ASSERT_TRUE(verification.ok()) << base::to_text(verification.error());
  EXPECT_FALSE(verification->all_match());
  ASSERT_EQ(verification->aggregations.size(), 1u);
  for (const Check& check : verification->aggregations.front().tables) {
    if (check.name != GetParam().table) {
      EXPECT_TRUE(check.matches()) << check.name;
      continue;
    }
    EXPECT_EQ(check.difference_count, 1);
    EXPECT_EQ(check.matched, check.rows - 1);
    ASSERT_EQ(check.first_differences.size(), 1u);
    EXPECT_EQ(check.first_differences.front().column, GetParam().column);
  }
}

constexpr Change kChanges[] = {
    {"WallTime", "UPDATE model_summary SET wall_time = wall_time + 1", "model_summary",
     "wall_time"},
    {"SixthDecimal", "UPDATE model_summary SET gpu_utilization = gpu_utilization + 0.000001",
     "model_summary", "gpu_utilization"},
    {"SummaryCategory",
     "UPDATE category_summary SET gpu_idle = gpu_idle + 1 WHERE id = (SELECT nodes_other_id FROM "
     "model_summary)",
     "model_summary", "nodes_other_gpu_idle"},
    {"KeyOp", "UPDATE model_summary SET key_node_id = key_node_id + 1", "model_summary",
     "key_node"},
    {"IterationShare",
     "UPDATE iteration_aggregation_list SET memory_duration = memory_duration + 1 WHERE "
     "iter_value = 5",
     "iteration_aggregation_list", "memory_duration"},
    {"Device",
     "UPDATE device_gpu_utilizations SET gpu_utilization = gpu_utilization + 0.000001 WHERE id = 2",
     "device_gpu_utilizations", "gpu_utilization"},
    {"OpFlag", "UPDATE op_nodes SET using_tc = 1 - using_tc WHERE id = 3", "op_nodes", "using_tc"},
    {"OpGone", "DELETE FROM op_nodes WHERE id = 4", "op_nodes", ""},
    {"GroupLevel", "UPDATE group_ops SET level = level + 1 WHERE id = 2", "group_ops", "level"},
    {"TypeCalls", "UPDATE op_type_metrics SET num_calls = num_calls + 1 WHERE id = 1",
     "op_type_metrics", "num_calls"},
    {"KernelFlag", "UPDATE kernel_summaries SET uses_tc = 1 - uses_tc WHERE id = 7",
     "kernel_summaries", "uses_tc"},
    {"KernelTime",
     "UPDATE kernel_iteration_node SET total_gpu_time = total_gpu_time - 1 WHERE id = 3000",
     "kernel_iteration_node", "total_gpu_time"},
    {"KernelIteration",
     "UPDATE kernel_iteration_node SET iter_value = iter_value + 1 WHERE id = 20",
     "kernel_iteration_node", "iter_value"},
    {"IterationStats",
     "UPDATE kernel_iteration_stats SET uses_tc_count = uses_tc_count + 1 WHERE iter_value = 4",
     "kernel_iteration_stats", "uses_tc_count"},
    {"KernelCategory",
     "UPDATE category_summary SET count = count + 1 WHERE id = (SELECT kernels_using_tc_id FROM "
     "kernel_summary_metrics)",
     "kernel_summary_metrics", "kernels_using_tc_count"},
    {"MemoryCategory",
     "UPDATE category_summary SET cpu_time = cpu_time + 1 WHERE id = (SELECT memory_time_id FROM "
     "memory_summary_metrics)",
     "memory_summary_metrics", "memory_time_cpu_time"},
    {"Advice",
     "UPDATE expert_systems_feedback SET recommendation = 'Do nothing' WHERE id = (SELECT "
     "min(id) FROM expert_systems_feedback)",
     "expert_systems_feedback", "recommendation"},
};

INSTANTIATE_TEST_SUITE_P(EachTable, ChangedDatabase, ::testing::ValuesIn(kChanges),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ChangedIterationList, IsTakenAsItIsAndSaidToFollowNoRule) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "changed.sqlite";
  fs::copy_file(original(), path);
  ASSERT_EQ(execute(path, "UPDATE iteration_list SET stop_time = stop_time - 1 WHERE id = 6"), 1);

  base::Progress progress;
  const auto verification = verify_database(path, std::nullopt, progress);
  ASSERT_TRUE(verification.ok());
  EXPECT_EQ(verification->aggregations.front().selection.cut.kind, aggregate::CutKind::stored);
  EXPECT_TRUE(check_of(*verification, "iteration_list").matches());
  EXPECT_FALSE(check_of(*verification, "iteration_aggregation_list").matches());
  std::ostringstream printed;
  print(*verification, printed);
  EXPECT_NE(printed.str().find("iterations taken from the stored list"), std::string::npos);
  EXPECT_NE(printed.str().find("There are differences."), std::string::npos);
}

TEST(OlderDatabase, IsComparedInTheTablesAndColumnsThatItHas) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "older.sqlite";
  fs::copy_file(original(), path);
  execute(path, "DROP TABLE kernel_iteration_stats; DELETE FROM expert_systems_feedback");

  base::Progress progress;
  const auto verification = verify_database(path, std::nullopt, progress);
  ASSERT_TRUE(verification.ok());
  EXPECT_TRUE(verification->all_match());
  EXPECT_EQ(check_of(*verification, "kernel_iteration_stats").note, "not in this database");
  EXPECT_EQ(check_of(*verification, "expert_systems_feedback").note,
            "no advice stored; not compared");
}

}  // namespace
}  // namespace dlview::verify
