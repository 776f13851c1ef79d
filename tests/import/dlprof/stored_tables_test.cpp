// A generated database, because the small one of test_database.h has no aggregated values.
#include "import/dlprof/stored_tables.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generate/dlprof.h"
#include "import/test_database.h"

namespace dlview::import::dlprof {
namespace {

namespace fs = std::filesystem;
using base::Value;
using base::ValueTable;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kKernelCount = 500;

// Made once for all tests of this file.
const fs::path& original() {
  static const testing::TemporaryFolder folder;
  static const fs::path path = [] {
    generate::DemoOptions options;
    options.iterations = 4;
    options.kernels = kKernelCount;
    base::Progress progress;
    const fs::path file = folder.path() / "generated.sqlite";
    EXPECT_TRUE(generate::generate_dlprof(file, options, progress).ok());
    return file;
  }();
  return path;
}

class StoredTablesTest : public ::testing::Test {
 protected:
  StoredTablesTest() { fs::copy_file(original(), path()); }

  fs::path path() const { return folder_.path() / "profile.sqlite"; }
  void change(const std::string& sql) { testing::TestDatabase(path()).execute(sql); }

  base::Result<StoredTables> open() { return StoredTables::open(path(), progress_); }
  base::Result<std::vector<ValueTable>> read() {
    base::Result<StoredTables> tables = open();
    if (!tables) return tables.error();
    return tables->read(1);
  }

  testing::TemporaryFolder folder_;
  base::Progress progress_;
};

const ValueTable* find(const std::vector<ValueTable>& tables, const std::string& name) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const ValueTable& table) { return table.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

TEST_F(StoredTablesTest, AreAllReadExceptTheOneWithARowForEachKernel) {
  const auto tables = read();
  ASSERT_TRUE(tables.ok());
  EXPECT_EQ(tables->size(), 13U);
  EXPECT_EQ(find(*tables, "kernel_iteration_node"), nullptr);
  const ValueTable* ops = find(*tables, "op_nodes");
  ASSERT_NE(ops, nullptr);
  EXPECT_EQ(ops->columns[0], "op_id");
  EXPECT_EQ(ops->key_columns, 1U);
  EXPECT_GT(ops->rows.size(), 0U);
}

TEST_F(StoredTablesTest, TellEveryAggregationThatAnyTableNames) {
  change(
      "INSERT INTO aggregations SELECT 7, server_user_name, server_host_name, start_timestamp, "
      "end_timestamp FROM aggregations; UPDATE model_summary SET aggr_id = 5;");
  const auto tables = open();
  ASSERT_TRUE(tables.ok());
  const auto ids = tables->aggregation_ids();
  ASSERT_TRUE(ids.ok());
  EXPECT_THAT(*ids, ElementsAre(1, 5, 7));
}

TEST_F(StoredTablesTest, RowsOfOtherAggregationsAreLeftOut) {
  const auto tables = open();
  ASSERT_TRUE(tables.ok());
  const auto none = tables->read(77);
  ASSERT_TRUE(none.ok());
  for (const ValueTable& table : *none) EXPECT_TRUE(table.rows.empty()) << table.name;
}

TEST_F(StoredTablesTest, ReadsKernelIterationsInOrderOfKernels) {
  change("UPDATE kernel_iteration_node SET id = 100000 - id;");
  const auto tables = open();
  ASSERT_TRUE(tables.ok());
  const ValueTable shape = tables->kernel_iterations();
  EXPECT_EQ(shape.name, "kernel_iteration_node");
  EXPECT_EQ(shape.key_columns, 1U);
  EXPECT_THAT(shape.columns,
              ElementsAre("read_only_kernel_id", "op_id", "iter_value", "total_count",
                          "uses_tc_count", "total_gpu_time", "tc_gpu_time"));
  std::vector<int64_t> kernels;
  const base::Status status =
      tables->for_each_kernel_iteration(1, [&](const std::vector<Value>& row) {
        ASSERT_EQ(row.size(), shape.columns.size());
        kernels.push_back(std::get<int64_t>(row[0]));
        EXPECT_NE(std::get<std::string>(row[1]), "");
      });
  ASSERT_TRUE(status.ok());
  EXPECT_GT(kernels.size(), 100U);
  EXPECT_TRUE(std::is_sorted(kernels.begin(), kernels.end()));
}

TEST_F(StoredTablesTest, AreNoneWithoutKernelIterations) {
  change("DROP TABLE kernel_iteration_node;");
  const auto tables = open();
  ASSERT_TRUE(tables.ok());
  EXPECT_TRUE(tables->kernel_iterations().columns.empty());
  int rows = 0;
  EXPECT_TRUE(tables->for_each_kernel_iteration(1, [&](const auto&) { ++rows; }).ok());
  EXPECT_EQ(rows, 0);
}

struct MissingTable {
  const char* table;
  const char* of;
  const char* column;  // of `of`, which comes from `table`
};
class MissingValueTable : public StoredTablesTest,
                          public ::testing::WithParamInterface<MissingTable> {};

TEST_P(MissingValueTable, TakesOnlyItsOwnColumnsWithIt) {
  const auto& [name, of, column] = GetParam();
  const auto before = read();
  ASSERT_TRUE(before.ok());
  const ValueTable* whole = find(*before, of);
  ASSERT_NE(whole, nullptr);
  ASSERT_THAT(whole->columns, Contains(column));

  change("DROP TABLE " + std::string(name) + ";");
  const auto after = read();
  ASSERT_TRUE(after.ok()) << base::to_text(after.error());
  const ValueTable* rest = find(*after, of);
  ASSERT_NE(rest, nullptr);
  EXPECT_THAT(rest->columns, Not(Contains(column)));
  EXPECT_FALSE(rest->columns.empty());
  EXPECT_EQ(rest->rows.size(), whole->rows.size());
}
INSTANTIATE_TEST_SUITE_P(
    All, MissingValueTable,
    ::testing::Values(MissingTable{"metric", "op_nodes", "cpu_sum"},
                      MissingTable{"node_time_metrics", "group_ops", "gpu_max"},
                      MissingTable{"kernel_time_metrics", "op_nodes", "kernel_gpu_sum"},
                      MissingTable{"category_summary", "model_summary", "nodes_total_count"},
                      MissingTable{"read_only_domains", "model_summary", "domain"}));

TEST_F(StoredTablesTest, AKeyThatCannotBeReadIsNoLongerCounted) {
  change("DROP TABLE read_only_gpu_infos;");
  const auto tables = read();
  ASSERT_TRUE(tables.ok());
  const ValueTable* devices = find(*tables, "device_gpu_utilizations");
  ASSERT_NE(devices, nullptr);
  EXPECT_EQ(devices->key_columns, 0U);
  EXPECT_THAT(devices->columns, ElementsAre("gpu_utilization"));
}

TEST_F(StoredTablesTest, NamesTheColumnIfTheAggregationIsMissing) {
  change("ALTER TABLE model_summary RENAME COLUMN aggr_id TO other;");
  const auto tables = read();
  ASSERT_FALSE(tables.ok());
  EXPECT_EQ(tables.error().title, "The database lacks a table or column");
  EXPECT_THAT(tables.error().detail, HasSubstr("aggr_id"));
  EXPECT_NE(tables.error().advice, "");
}

TEST_F(StoredTablesTest, ReadingEndsWhenItIsCanceled) {
  const auto tables = open();
  ASSERT_TRUE(tables.ok());
  progress_.cancel();
  const auto read = tables->read(1);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().title, "Canceled");
}

TEST_F(StoredTablesTest, AFileThatIsWrittenMeanwhileIsNoticed) {
  const auto tables = open();
  ASSERT_TRUE(tables.ok());
  EXPECT_FALSE(tables->has_changed());
  change("DROP TABLE metric;");
  EXPECT_TRUE(tables->has_changed());
}

}  // namespace
}  // namespace dlview::import::dlprof
