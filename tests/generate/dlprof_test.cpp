#include "generate/dlprof.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/reference/reference.h"
#include "generate/queries.h"
#include "support/file_contents.h"
#include "support/sketch.h"
#include "support/test_data.h"

namespace dlview::generate {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::first_column;
using ::testing::IsEmpty;
using testing::query;
using testing::TemporaryFolder;
using testing::TextRows;

fs::path generate(const TemporaryFolder& folder, const std::string& name,
                  const DemoOptions& options) {
  base::Progress progress;
  const fs::path path = folder.path() / name;
  const base::Status status = generate_dlprof(path, options, progress);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : base::to_text(status.error()));
  return path;
}

TEST(GeneratedDatabase, HasTheSameBytesForTheSameSeedOnly) {
  const TemporaryFolder folder;
  DemoOptions options{20, 2'000, 2, Framework::pytorch, 7};
  const std::string first = testing::contents_of(generate(folder, "a.sqlite", options));
  EXPECT_EQ(first, testing::contents_of(generate(folder, "b.sqlite", options)));
  options.seed = 8;
  EXPECT_NE(first, testing::contents_of(generate(folder, "c.sqlite", options)));
}

TEST(GeneratedDatabase, IsSoundAndEveryViewOfItHasRows) {
  const TemporaryFolder folder;
  for (const Framework framework : {Framework::pytorch, Framework::tensorflow}) {
    const fs::path path =
        generate(folder, std::to_string(static_cast<int>(framework)), {20, 3'000, 2, framework, 1});
    EXPECT_THAT(query(path, "PRAGMA foreign_key_check"), IsEmpty());
    EXPECT_THAT(query(path, "PRAGMA integrity_check"), ElementsAre(ElementsAre("ok")));
    const auto views = first_column(path, "SELECT name FROM sqlite_master WHERE type = 'view'");
    EXPECT_EQ(views.size(), 23u);
    for (const std::string& view : views) {
      EXPECT_NE(query(path, "SELECT count(*) FROM " + view).at(0).at(0), "0") << view;
    }
  }
}

// Names, declared types, keys and view columns are DLProf's own.
TEST(GeneratedDatabase, HasTheSchemaOfARealOne) {
  DLVIEW_REQUIRE_TEST_DATA();
  const fs::path real = *testing::test_data_folder() / "dlprof/no_relu/first_run.sqlite";
  const TemporaryFolder folder;
  const fs::path copy = folder.path() / "real.sqlite";
  fs::copy_file(real, copy);
  const fs::path made = generate(folder, "made.sqlite", {2, 100, 1, Framework::pytorch, 1});

  const std::string objects =
      "SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' "
      "ORDER BY type, name";
  EXPECT_EQ(query(made, objects), query(copy, objects));
  for (const auto& row : query(copy, objects)) {
    const std::string& type = row[0];
    const std::string argument = "('" + row[1] + "')";
    if (type == "index") {
      const std::string info = "SELECT seqno, name FROM pragma_index_info" + argument;
      EXPECT_EQ(query(made, info), query(copy, info)) << row[1];
      continue;
    }
    const std::string info =
        "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info" + argument;
    EXPECT_EQ(query(made, info), query(copy, info)) << row[1];
    const std::string keys =
        "SELECT \"table\", \"from\", \"to\", on_update, on_delete FROM "
        "pragma_foreign_key_list" +
        argument + " ORDER BY 2";
    EXPECT_EQ(query(made, keys), query(copy, keys)) << row[1];
  }
}

TEST(GeneratedDatabase, StoresMetricsOnceAndRealsWithSixDecimals) {
  const TemporaryFolder folder;
  const fs::path path = generate(folder, "a", {10, 1'000, 1, Framework::pytorch, 1});
  EXPECT_THAT(query(path,
                    "SELECT max, min, sum, count FROM metric GROUP BY 1, 2, 3, 4 "
                    "HAVING count(*) > 1"),
              IsEmpty());
  EXPECT_THAT(query(path, "SELECT avg FROM metric WHERE avg <> round(avg, 6)"), IsEmpty());
  EXPECT_THAT(query(path, "SELECT typeof(avg) FROM metric GROUP BY 1"),
              ElementsAre(ElementsAre("real")));
}

TEST(GeneratedDatabase, OrdersRowsAsDlprofDoes) {
  const TemporaryFolder folder;
  const fs::path path = generate(folder, "a", {10, 3'000, 2, Framework::pytorch, 1});
  const auto in_order = [&](const std::string& table, const std::string& order) {
    return query(path, "SELECT id FROM " + table + " ORDER BY " + order) ==
           query(path, "SELECT id FROM " + table + " ORDER BY id");
  };
  EXPECT_TRUE(in_order("read_only_ops", "op_name, op_id"));
  EXPECT_TRUE(in_order("read_only_op_instances", "read_only_ops_id, cpu_start, id"));
  EXPECT_TRUE(in_order("kernel_iteration_node", "iter_value, read_only_kernel_id"));
  EXPECT_TRUE(in_order("read_only_kernels",
                       "read_only_ops_id, (SELECT string FROM dictionary d WHERE d.id = name_id), "
                       "api_start, id"));
  EXPECT_TRUE(
      in_order("op_nodes", "(SELECT op_id FROM read_only_ops o WHERE o.id = read_only_ops_id)"));
  EXPECT_TRUE(in_order("group_ops",
                       "row_type, (SELECT string FROM dictionary d "
                       "WHERE d.id = group_op_full_id_id)"));
}

TEST(GeneratedDatabase, KeepsTheStoryOfTheRunInItsTables) {
  const TemporaryFolder folder;
  const fs::path path = generate(folder, "a", {20, 2'000, 8, Framework::pytorch, 1});
  EXPECT_THAT(query(path, "SELECT iter_start, iter_stop, key_node_name FROM view_aggregations"),
              ElementsAre(ElementsAre("0", "20", "TRAIN_STEP_1")));
  EXPECT_THAT(query(path, "SELECT count(*) FROM view_iterations_profiled"),
              ElementsAre(ElementsAre("21")));
  EXPECT_THAT(query(path,
                    "SELECT device_id FROM view_gpu_devices WHERE "
                    "device_gpu_utilization = 0 ORDER BY 1"),
              ElementsAre(ElementsAre("4"), ElementsAre("5"), ElementsAre("6"), ElementsAre("7")));
}

// Two ops of one name, a kernel and a copy: small enough to know every row.
TEST(WrittenDatabase, NumbersSharedRowsInDlprofsOrder) {
  testing::Sketch sketch;
  const profile::Row op = sketch.op("/net/a", "conv2d", true);
  const profile::Row first = sketch.instance(op, 10, 60);
  sketch.kernel(first, 20, 30, 0, "gemm", true);
  sketch.instance(op, 100, 140);
  const auto profile = sketch.finish();
  const auto aggregation = aggregate::make_reference_aggregator(profile)->aggregate({});
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "small.sqlite";
  base::Progress progress;
  ASSERT_TRUE(write_dlprof_database(*profile, {aggregation}, path, progress).ok());

  EXPECT_THAT(first_column(path, "SELECT string FROM dictionary ORDER BY id"),
              ElementsAre("default-domain", "OP_1", "conv2d", "", "gemm", "/", "/net/", "/net/a"));
  EXPECT_THAT(query(path, "SELECT count, max, min, sum, avg FROM metric ORDER BY id"),
              ElementsAre(ElementsAre("2", "50", "40", "90", "45.0"),  // cpu
                          ElementsAre("2", "10", "0", "10", "5.0"),    // gpu
                          ElementsAre("2", "2", "0", "2", "1.0"),      // api
                          ElementsAre("2", "48", "40", "88", "44.0"),  // overhead
                          ElementsAre("2", "0", "0", "0", "0.0"),      // idle
                          ElementsAre("1", "2", "2", "2", "2.0"),      // its kernel's api
                          ElementsAre("1", "10", "10", "10", "10.0"),  // and gpu, the group's too
                          ElementsAre("1", "90", "90", "90", "90.0"),  // groups: one iteration
                          ElementsAre("1", "88", "88", "88", "88.0"),
                          ElementsAre("1", "0", "0", "0", "0.0")));
  EXPECT_THAT(query(path,
                    "SELECT total_count, uses_tc_count, total_gpu_time, tc_gpu_time "
                    "FROM kernel_iteration_node"),
              ElementsAre(ElementsAre("1", "1", "10", "10")));
  EXPECT_THAT(first_column(path, "SELECT count FROM category_summary ORDER BY id"),
              ElementsAre("1", "0", "1", "0", "1", "1", "0", "0"));
}

TEST(WrittenDatabase, HoldsSeveralAggregationsThatShareMetrics) {
  testing::Sketch sketch;
  const profile::Row op = sketch.op("step");
  sketch.instance(op, 10, 20);
  sketch.instance(op, 30, 40);
  const auto profile = sketch.finish();
  const auto reference = aggregate::make_reference_aggregator(profile);
  aggregate::Cut cut;
  cut.key_op = "step";
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "two.sqlite";
  base::Progress progress;
  ASSERT_TRUE(write_dlprof_database(
                  *profile,
                  {reference->aggregate({cut, {0, 2}}), reference->aggregate({cut, {1, 1}})}, path,
                  progress)
                  .ok());
  EXPECT_THAT(query(path, "SELECT aggr_id, iter_start, iter_stop FROM view_aggregations"),
              ElementsAre(ElementsAre("1", "0", "2"), ElementsAre("2", "1", "1")));
  EXPECT_THAT(query(path, "SELECT aggr_id, num_calls FROM op_nodes ORDER BY 1"),
              ElementsAre(ElementsAre("1", "2"), ElementsAre("2", "1")));
  EXPECT_THAT(query(path,
                    "SELECT sum FROM metric GROUP BY count, min, max, sum "
                    "HAVING count(*) > 1"),
              IsEmpty());
}

TEST(WrittenDatabase, IsNeverPutInPlaceOfAnExistingFileUnasked) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "mine.txt";
  std::ofstream(path) << "precious";
  base::Progress progress;
  const DemoOptions small{1, 10, 1, Framework::pytorch, 1};
  const base::Status refused = generate_dlprof(path, small, progress);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().title, "The file exists");
  EXPECT_EQ(testing::contents_of(path), "precious");
  EXPECT_TRUE(generate_dlprof(path, small, progress, IfExists::replace).ok());
  EXPECT_EQ(testing::contents_of(path).substr(0, 15), "SQLite format 3");
}

TEST(WrittenDatabase, LeavesNothingBehindWhenItIsCanceled) {
  const TemporaryFolder folder;
  base::Progress progress;
  progress.cancel();
  const base::Status status =
      generate_dlprof(folder.path() / "a.sqlite", {10, 5'000, 1, Framework::pytorch, 1}, progress);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().title, "Canceled");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(WrittenDatabase, IsNotAggregatedForOnceItIsCanceled) {
  base::Progress progress;
  auto made = make_demo_profile({10, 2'000, 1, Framework::pytorch, 1}, progress);
  ASSERT_TRUE(made.ok());
  const auto profile = std::make_shared<const profile::Profile>(*std::move(made));
  const auto reference = aggregate::make_reference_aggregator(profile, &progress);
  const aggregate::Selection selection{{aggregate::CutKind::start, "TRAIN_STEP_1", 0}, {0, 10}};
  EXPECT_EQ(reference->aggregate(selection).kernel_launches, 2'000);
  progress.cancel();
  const aggregate::Aggregation dropped = reference->aggregate(selection);
  EXPECT_EQ(dropped.kernel_launches, 0);
  EXPECT_TRUE(dropped.ops.empty());
}

TEST(WrittenDatabase, SaysWhenTheFolderDoesNotExist) {
  base::Progress progress;
  const base::Status status =
      generate_dlprof("/no/such/folder/a.sqlite", {1, 10, 1, Framework::pytorch, 1}, progress);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().title, "A file cannot be written");
  EXPECT_EQ(status.error().detail, "/no/such/folder/a.sqlite: No such file or directory");
}

}  // namespace
}  // namespace dlview::generate
