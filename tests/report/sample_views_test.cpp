// The tables of GPU metrics, CPU samples and CUDA's memory, of a small export and a real one.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "import/nsys/test_export.h"
#include "report/views/views.h"

namespace dlview::report {
namespace {

using profile::Profile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

aggregate::Aggregation whole(const std::shared_ptr<const Profile>& profile) {
  const auto aggregator = aggregate::make_cpu_aggregator(profile);
  return aggregator->aggregate({{aggregate::CutKind::start, "", 0}, {0, 0}});
}

// The cells of a table, a line for each row.
std::vector<std::string> lines_of(const std::shared_ptr<const Profile>& profile,
                                  std::string_view view, std::size_t most = 1000) {
  const aggregate::Aggregation aggregation = whole(profile);
  const auto table = make_view(view, *profile, aggregation);
  EXPECT_TRUE(table) << view;
  std::vector<std::string> lines;
  for (std::size_t row = 0; table && row < std::min(table->row_count, most); ++row) {
    std::string line;
    for (const Column& column : table->columns) {
      line += (line.empty() ? "" : "|") + to_text(column.cell(row), 2);
    }
    lines.push_back(line);
  }
  return lines;
}

class SampleViews : public testing::ExportTest {
 protected:
  std::vector<std::string> lines(std::string_view view, const std::string& changes) {
    return lines_of(std::make_shared<const Profile>(open_with(changes)), view);
  }
};

const std::string kMetrics =
    "CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER, metricId INTEGER, metricName TEXT);"
    "INSERT INTO TARGET_INFO_GPU_METRICS VALUES(257, 0, 'SM Active'), "
    "(257, 1, 'DRAM Read Throughput');"
    "CREATE TABLE GPU_METRICS(timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);"
    "INSERT INTO GPU_METRICS VALUES(1210, 257, 0, 40), (1210, 257, 1, 7), (1310, 257, 0, 50), "
    "(1310, 257, 1, 8), (1410, 257, 0, 60), (1410, 257, 1, 8);";

TEST_F(SampleViews, ListMetricsAndTheirSamples) {
  EXPECT_THAT(lines("gpu_metric_names", kMetrics),
              ElementsAre("1|SM Active|%|3|40.00|50.00|60.00",
                          "1|DRAM Read Throughput|%|3|7.00|7.67|8.00"));
}

TEST_F(SampleViews, ListEachSample) {
  EXPECT_THAT(lines("gpu_metrics", kMetrics),
              ElementsAre("1|SM Active|1210|40.00", "1|SM Active|1310|50.00",
                          "1|SM Active|1410|60.00", "1|DRAM Read Throughput|1210|7.00",
                          "1|DRAM Read Throughput|1310|8.00", "1|DRAM Read Throughput|1410|8.00"));
}

// One of the two kernels runs on a GPU that was not sampled.
TEST_F(SampleViews, GiveMeansWithCoverage) {
  EXPECT_THAT(
      lines("gpu_metrics_by_kernel", kMetrics),
      ElementsAre("CUDA graph 5|1|1000||||||0|0.00||Fewer than two samples while it runs alone",
                  "gemm|2|700|50.00|||7.67||3|42.86||Too few samples to name a limit"));
}

TEST_F(SampleViews, AreEmptyWithoutRecords) {
  for (const char* view :
       {"gpu_metrics", "gpu_metric_names", "gpu_metrics_by_kernel", "gpu_metrics_by_op",
        "gpu_metrics_by_iteration", "cpu_flat", "cpu_stacks", "memory_usage"}) {
    std::filesystem::remove(path());
    EXPECT_THAT(lines(view, ""), ::testing::IsEmpty()) << view;
  }
}

TEST(SampleViewsOfOthers, NeedAnExport) {
  const auto profile = std::make_shared<const Profile>();
  const auto table = make_view("gpu_metrics", *profile, {});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().title, "This table is for exports of Nsight Systems only");
}

TEST_F(SampleViews, CountMemoryInUse) {
  const std::string p70 = std::to_string(testing::exported_id(70)),
                    p80 = std::to_string(testing::exported_id(80));
  const std::string usage = fmt::format(
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INTEGER, globalPid INTEGER, deviceId "
      "INTEGER, contextId INTEGER, address INTEGER, pc INTEGER, bytes INTEGER, memKind INTEGER, "
      "memoryOperationType INTEGER, name TEXT);"
      "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES"
      "(100, {0}, 0, 1, 4096, 0, 1000, 2, 0, 'weights'),"
      "(300, {0}, 0, 1, 4096, 0, 0, 2, 1, NULL),"     // a free that does not say how much
      "(200, {0}, 0, 1, 8192, 0, 500, 2, 0, NULL),"   // out of order
      "(250, {1}, 0, 1, 4096, 0, 64, 1, 0, NULL),"    // pinned, of another process
      "(400, {0}, 0, 1, 9000, 0, 9999, 2, 1, NULL),"  // allocated before the capture
      "(500, {1}, 0, 1, 5000, 0, 7, 4, 0, NULL),"
      "(600, {1}, 0, 1, 5000, 0, 7, 4, 5, NULL);",  // an unknown operation
      p70, p80);
  EXPECT_THAT(
      lines("memory_usage", usage),
      ElementsAre("100|cuda:1|Device|Allocation|1000|1000|weights|0",
                  "200|cuda:1|Device|Allocation|500|1500||2", "250|CPU|Pinned|Allocation|64|64||3",
                  "300|cuda:1|Device|Free|0|500||1", "400|cuda:1|Device|Free|9999|0||4",
                  "500|cuda:0|Managed|Allocation|7|7||5", "600|cuda:0|Managed||7|7||6"));
}

const std::string kSamples = fmt::format(
    "INSERT INTO StringIds VALUES(20, 'main'), (21, 'work'), (22, '/usr/lib/libx.so'), "
    "(23, '0x7f00');"
    "CREATE TABLE COMPOSITE_EVENTS(id INTEGER PRIMARY KEY, start INTEGER, cpu INTEGER, threadState "
    "INTEGER, globalTid INTEGER, cpuCycles INTEGER);"
    "CREATE TABLE SAMPLING_CALLCHAINS(id INTEGER, symbol INTEGER, module INTEGER, stackDepth "
    "INTEGER);"
    "INSERT INTO COMPOSITE_EVENTS VALUES(1, 1100, 0, 1, {0}, 10), (2, 1200, 0, 1, {0}, 30), "
    "(3, 1300, 0, 1, {0}, 5), (4, 1400, 0, 1, {0}, 1);"
    // work called by itself, called by main; main alone; a function without a symbol; no stack.
    "INSERT INTO SAMPLING_CALLCHAINS VALUES(1, 21, 22, 0), (1, 21, 22, 1), (1, 20, 22, 2), "
    "(2, 20, 22, 0), (3, 23, 22, 0), (3, 20, 22, 1);",
    testing::exported_id(70, 71));

TEST_F(SampleViews, AddUpFunctionsByCycles) {
  EXPECT_THAT(lines("cpu_flat", kSamples),
              ElementsAre("rank0 70 · MPI Rank 0 71|main|/usr/lib/libx.so|30|45|3",
                          "rank0 70 · MPI Rank 0 71|work|/usr/lib/libx.so|10|10|1",
                          "rank0 70 · MPI Rank 0 71|[libx.so]|/usr/lib/libx.so|5|5|1"));
}

TEST_F(SampleViews, AddUpCallStacks) {
  EXPECT_THAT(
      lines("cpu_stacks", kSamples),
      ElementsAre("rank0 70 · MPI Rank 0 71|main|30", "rank0 70 · MPI Rank 0 71|main;work;work|10",
                  "rank0 70 · MPI Rank 0 71|main;[libx.so]|5",
                  "rank0 70 · MPI Rank 0 71|[no call stack]|1"));
}

// Each sample weighs 1 where no cycles were counted.
TEST_F(SampleViews, CountSamplesWithoutCycles) {
  EXPECT_THAT(lines("cpu_stacks", kSamples + "UPDATE COMPOSITE_EVENTS SET cpuCycles = 0;"),
              ElementsAre(HasSubstr("|1"), HasSubstr("|1"), HasSubstr("|1"), HasSubstr("|1")));
}

TEST(SampleViewsOfRealExport, AgreeWithItsTables) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Result<Profile> opened = testing::open_for_test(
      *testing::test_data_folder() / "ncu/nsys_gpu_metrics_a100pcie_vecadd.sqlite");
  ASSERT_TRUE(opened.ok());
  const auto profile = std::make_shared<const Profile>(std::move(*opened));
  EXPECT_THAT(lines_of(profile, "gpu_metrics_by_kernel"),
              ElementsAre(HasSubstr("|54.32|27.17|3751|100.00|memory|")));
  EXPECT_EQ(lines_of(profile, "gpu_metrics", 1'000'000).size(), 168'000U);
  const std::vector<std::string> names = lines_of(profile, "gpu_metric_names");
  ASSERT_EQ(names.size(), 14U);
  EXPECT_EQ(names[6], "0|SM Active|%|12000|0.00|31.05|100.00");
  int64_t weight = 0;
  for (const std::string& line : lines_of(profile, "cpu_stacks", 1'000'000)) {
    weight += std::stoll(line.substr(line.rfind('|') + 1));
  }
  EXPECT_EQ(weight, 272) << "each sample has one cycle";
}

}  // namespace
}  // namespace dlview::report
