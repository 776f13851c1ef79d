// Reports for which nsys printed nothing at hand: their sums against plain SQL over the same files.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/progress.h"
#include "import/open.h"
#include "import/sqlite/database.h"
#include "report/nsys/reports.h"
#include "support/test_data.h"

namespace dlview::report::nsys {
namespace {

using Rows = std::vector<std::vector<std::string>>;

class IndependentQueries : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    DLVIEW_REQUIRE_TEST_DATA();
    const std::filesystem::path path =
        *testing::test_data_folder() / "nsys" / (std::string(GetParam()) + ".sqlite");
    auto opened = import::open_profile(path, progress_);
    ASSERT_TRUE(opened.ok()) << base::to_text(opened.error());
    profile_ = *std::move(opened);
    auto database = import::sqlite::open_read_only(path, progress_);
    ASSERT_TRUE(database.ok());
    database_.emplace(*std::move(database));
  }

  std::optional<Table> make(std::string_view name) const {
    return make_report(*parse_report_list(name)->front(), {profile_});
  }
  bool has(const char* table) const { return database_->has_table(table); }
  // Without processes nothing says which kernels belong together.
  bool has_kernel_processes() const {
    return has("CUPTI_ACTIVITY_KIND_KERNEL") &&
           database_->has_column("CUPTI_ACTIVITY_KIND_KERNEL", "globalPid");
  }
  // The texts of all cells.
  Rows sql(const std::string& query) const {
    auto statement = database_->prepare(query);
    EXPECT_TRUE(statement.ok()) << query;
    Rows rows;
    while (statement && statement->next()) {
      rows.emplace_back();
      for (int i = 0; i < statement->column_count(); ++i) {
        rows.back().emplace_back(statement->text(i));
      }
    }
    EXPECT_TRUE(statement->status().ok());
    return rows;
  }
  int64_t number(const std::string& query) const {
    const Rows rows = sql(query);
    return rows.empty() || rows[0][0].empty() ? 0 : std::stoll(rows[0][0]);
  }

  base::Progress progress_;
  profile::Profile profile_;
  std::optional<import::sqlite::Database> database_;
};

std::size_t place(const Table& table, std::string_view id) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, id, &Column::id) -
                                  table.columns.begin());
}

int64_t integer(const Table& table, std::size_t row, std::string_view id) {
  const Cell cell = table.cell(row, place(table, id));
  return std::holds_alternative<int64_t>(cell) ? std::get<int64_t>(cell) : 0;
}

int64_t sum(const Table& table, std::string_view id) {
  int64_t total = 0;
  for (std::size_t row = 0; row < table.row_count; ++row) total += integer(table, row, id);
  return total;
}

Rows texts(const Table& table, std::initializer_list<std::string_view> ids) {
  Rows rows(table.row_count);
  for (std::size_t row = 0; row < table.row_count; ++row) {
    for (const std::string_view id : ids) {
      rows[row].push_back(to_text(table.cell(row, place(table, id))));
    }
  }
  return rows;
}

// The union of intervals in a table t(part, s, e), by part.
std::string union_of(const std::string& t) {
  return "WITH " + t +
         ", m AS (SELECT part, s, e, max(e) OVER (PARTITION BY part ORDER BY s, e ROWS BETWEEN "
         "UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen FROM t) SELECT sum(max(0, e - max(s, "
         "ifnull(seen, s)))) FROM m";
}

TEST_P(IndependentQueries, OfOsCallsGiveTheSameSums) {
  const std::optional<Table> table = make("osrt_sum");
  const bool has_calls = has("OSRT_API") && number("SELECT count(*) FROM OSRT_API") > 0;
  ASSERT_EQ(table.has_value(), has_calls);
  if (!table) return;
  EXPECT_EQ(texts(*table, {"total_time", "num_calls", "min", "max", "name"}),
            sql("SELECT sum(\"end\" - start) AS total, count(*), min(\"end\" - start), "
                "max(\"end\" - start), value FROM OSRT_API JOIN StringIds ON id = nameId "
                "GROUP BY nameId ORDER BY total DESC, value"));
}

TEST_P(IndependentQueries, OfLaunchesGiveTheSameSums) {
  const std::optional<Table> table = make("cuda_kern_exec_trace");
  if (!has_kernel_processes() || !has("CUPTI_ACTIVITY_KIND_RUNTIME")) {
    EXPECT_FALSE(table.has_value());
    return;
  }
  const std::string joined =
      "FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = "
      "k.correlationId AND r.globalTid / 0x1000000 = k.globalPid / 0x1000000";
  ASSERT_EQ(table.has_value(), number("SELECT count(*) " + joined) > 0);
  if (!table) return;
  EXPECT_EQ(std::ssize(table->columns), 14);
  EXPECT_EQ(static_cast<int64_t>(table->row_count), number("SELECT count(*) " + joined));
  EXPECT_EQ(sum(*table, "kernel_duration"), number("SELECT sum(k.end - k.start) " + joined));
  EXPECT_EQ(sum(*table, "queue_duration"), number("SELECT sum(max(0, k.start - r.end)) " + joined));
  EXPECT_EQ(sum(*table, "total_duration"),
            number("SELECT sum(max(r.end, k.end) - r.start) " + joined));
  for (std::size_t row = 1; row < table->row_count; ++row) {
    ASSERT_LE(integer(*table, row - 1, "api_start"), integer(*table, row, "api_start"));
  }
}

// Both parts are held against nsys; here they stand in one table.
TEST_P(IndependentQueries, CallsAndWorkKeepTheirSums) {
  const std::optional<Table> both = make("cuda_api_gpu_sum"), calls = make("cuda_api_sum"),
                             work = make("cuda_gpu_sum"), kernels = make("cuda_gpu_kern_sum");
  if (!both) {
    EXPECT_TRUE(!calls || (!work && !kernels));
    return;
  }
  ASSERT_TRUE(calls);
  const Table& gpu = work ? *work : *kernels;
  EXPECT_EQ(both->row_count, calls->row_count + gpu.row_count);
  EXPECT_EQ(sum(*both, "total_time"), sum(*calls, "total_time") + sum(gpu, "total_time"));
  EXPECT_EQ(sum(*both, "instances"), sum(*calls, "num_calls") + sum(gpu, "instances"));
  for (std::size_t row = 1; row < both->row_count; ++row) {
    ASSERT_GE(integer(*both, row - 1, "total_time"), integer(*both, row, "total_time"));
  }
}

// nvtx_gpu_proj_sum is held against nsys; its sums are those of the trace's rows.
TEST_P(IndependentQueries, ProjectionsAddUpToTheirSummary) {
  const std::optional<Table> trace = make("nvtx_gpu_proj_trace"),
                             summary = make("nvtx_gpu_proj_sum");
  ASSERT_EQ(trace.has_value(), summary.has_value());
  if (!trace) return;
  EXPECT_EQ(static_cast<int64_t>(trace->row_count), sum(*summary, "range_instances"));
  std::map<std::string, int64_t> projected, ops;
  for (std::size_t row = 0; row < trace->row_count; ++row) {
    const std::string key = to_text(trace->cell(row, place(*trace, "name"))) + "|" +
                            to_text(trace->cell(row, place(*trace, "style")));
    projected[key] += integer(*trace, row, "projected_duration");
    ops[key] += integer(*trace, row, "num_gpu_ops");
    if (row > 0) {
      ASSERT_LE(integer(*trace, row - 1, "projected_start"),
                integer(*trace, row, "projected_start"));
    }
  }
  for (std::size_t row = 0; row < summary->row_count; ++row) {
    const std::string key = to_text(summary->cell(row, place(*summary, "range"))) + "|" +
                            to_text(summary->cell(row, place(*summary, "style")));
    EXPECT_EQ(projected[key], integer(*summary, row, "total_proj_time")) << key;
    EXPECT_EQ(ops[key], integer(*summary, row, "total_gpu_ops")) << key;
  }
}

TEST_P(IndependentQueries, HistogramsHoldEveryKernelOnce) {
  const std::optional<Table> bins = make("cuda_gpu_kern_hist"), summary = make("cuda_gpu_kern_sum");
  ASSERT_EQ(bins.has_value(), summary.has_value());
  if (!bins) return;
  std::map<std::string, int64_t> counts;
  std::map<std::string, double> shares;
  for (std::size_t row = 0; row < bins->row_count; ++row) {
    const std::string name = to_text(bins->cell(row, place(*bins, "name")));
    const int64_t first = integer(*bins, row, "bin_start"), end = integer(*bins, row, "bin_end"),
                  count = integer(*bins, row, "count");
    counts[name] += count;
    shares[name] += std::get<double>(bins->cell(row, place(*bins, "probability")));
    ASSERT_LE(first, end);
  }
  for (std::size_t row = 0; row < summary->row_count; ++row) {
    const std::string name = to_text(summary->cell(row, place(*summary, "name")));
    EXPECT_EQ(counts[name], integer(*summary, row, "instances"));
    EXPECT_NEAR(shares[name], 100, 1e-9);
  }
  // The bin of every kernel of the busiest name, by SQL.
  const std::string name = to_text(summary->cell(0, place(*summary, "name")));
  for (std::size_t row = 0; row < bins->row_count; ++row) {
    if (to_text(bins->cell(row, place(*bins, "name"))) != name) break;
    const bool is_last =
        row + 1 == bins->row_count || to_text(bins->cell(row + 1, place(*bins, "name"))) != name;
    const std::string from_first = fmt::format(
        "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE demangledName = (SELECT "
        "demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY 1 ORDER BY sum(\"end\" - start) "
        "DESC LIMIT 1) AND \"end\" - start >= {}",
        integer(*bins, row, "bin_start"));
    EXPECT_EQ(integer(*bins, row, "count"),
              number(fmt::format("{} AND \"end\" - start {} {}", from_first, is_last ? "<=" : "<",
                                 integer(*bins, row, "bin_end"))))
        << row;
  }
}

TEST_P(IndependentQueries, PacesFollowEachOther) {
  const std::optional<Table> table = make("cuda_gpu_kern_pace");
  const bool has_kernels =
      has_kernel_processes() && number("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL") > 0;
  ASSERT_EQ(table.has_value(), has_kernels);
  if (!table) return;
  const char* const kBefore =
      "FROM (SELECT start, \"end\", lag(start) OVER same AS last, lag(\"end\") OVER same AS ended "
      "FROM CUPTI_ACTIVITY_KIND_KERNEL WINDOW same AS (PARTITION BY demangledName, globalPid, "
      "deviceId ORDER BY start, rowid))";
  EXPECT_EQ(static_cast<int64_t>(table->row_count),
            number(std::string("SELECT count(*) ") + kBefore));
  EXPECT_EQ(sum(*table, "pace"), number(std::string("SELECT sum(start - last) ") + kBefore));
  EXPECT_EQ(sum(*table, "gap"), number(std::string("SELECT sum(start - ended) ") + kBefore));
}

TEST_P(IndependentQueries, PacesOfRangesHoldEachOnce) {
  const std::optional<Table> table = make("nvtx_pace"), summary = make("nvtx_sum");
  ASSERT_EQ(table.has_value(), summary.has_value());
  if (!table) return;
  EXPECT_EQ(static_cast<int64_t>(table->row_count), sum(*summary, "instances"));
  EXPECT_EQ(sum(*table, "duration"), sum(*summary, "total_time"));
}

TEST_P(IndependentQueries, UtilizationIsTheUnionOfAllWork) {
  const std::optional<Table> table = make("cuda_gpu_time_util_map");
  std::string work;
  for (const char* kind : {"KERNEL", "MEMCPY", "MEMSET"}) {
    const std::string name = std::string("CUPTI_ACTIVITY_KIND_") + kind;
    if (!has(name.c_str()) || !database_->has_column(name, "globalPid")) continue;
    work += (work.empty() ? "" : " UNION ALL ") +
            ("SELECT globalPid || '/' || deviceId, start, \"end\" FROM " + name);
  }
  const bool has_work = !work.empty() && number("SELECT count(*) FROM (" + work + ")") > 0;
  ASSERT_EQ(table.has_value(), has_work);
  if (!table) return;
  double busy_ns = 0;
  for (std::size_t row = 0; row < table->row_count; ++row) {
    const double percent = std::get<double>(table->cell(row, place(*table, "utilization")));
    EXPECT_GE(percent, 0);
    EXPECT_LE(percent, 100);
    busy_ns += percent / 100 * static_cast<double>(integer(*table, row, "duration"));
  }
  EXPECT_NEAR(busy_ns, static_cast<double>(number(union_of("t(part, s, e) AS (" + work + ")"))), 1);
}

TEST_P(IndependentQueries, OverlapIsTheUnionOfComputingKernels) {
  const std::optional<Table> table = make("nccl_gpu_overlap_trace");
  if (!has_kernel_processes()) {
    EXPECT_FALSE(table.has_value());
    return;
  }
  const std::string named =
      "k AS MATERIALIZED (SELECT CUPTI_ACTIVITY_KIND_KERNEL.rowid AS row, start, \"end\", "
      "globalPid "
      "AS pid, deviceId AS gpu, value LIKE 'nccl%' AS nccl FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN "
      "StringIds ON id = demangledName)";
  const int64_t count = number("WITH " + named + " SELECT count(*) FROM k WHERE nccl");
  ASSERT_EQ(table.has_value(), count > 0);
  if (!table) return;
  EXPECT_EQ(static_cast<int64_t>(table->row_count), count);
  EXPECT_EQ(sum(*table, "overlap"),
            number(union_of(
                named + ", t(part, s, e) AS (SELECT n.row, max(n.start, c.start), min(n.\"end\", "
                        "c.\"end\") FROM k n JOIN k c ON n.nccl AND NOT c.nccl AND n.pid = c.pid "
                        "AND n.gpu = c.gpu AND c.start < n.\"end\" AND c.\"end\" > n.start)")));
  EXPECT_EQ(sum(*table, "overlap") + sum(*table, "exposed"), sum(*table, "duration"));
}

INSTANTIATE_TEST_SUITE_P(
    Real, IndependentQueries,
    ::testing::Values("2021.2_raw_cuda", "2022.4_nvtx_only_304_frames",
                      "2022.4_raw_cuda_8190_kernels", "2022.4_tensorrt_nvtx_layers",
                      "2023.4_ddp_rank0_of_4xa100_59_steps", "2024.6_cuda_graphs_only",
                      "2024.6_nvfuser_8xh100", "2024.6_pytorch_attention_nvtx",
                      "2025.3_cupy_44_steps", "2026.2_ddp_2xh100_after",
                      "2026.2_pytorch_2xh100_emit_nvtx", "2026.2_windows_attention",
                      "edge_minimal_schema", "edge_two_kernels"),
    [](const auto& test) { return testing::test_name_of(test.param); });

}  // namespace
}  // namespace dlview::report::nsys
