// Exports in which single columns are missing are read and reported: any column of any table may be
// absent (formats.md 11), and nothing may look for what is not there.
#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "import/nsys/test_export.h"
#include "import/sqlite/database.h"
#include "report/nsys/reports.h"
#include "report/writers/csv.h"

namespace dlview::report::nsys {
namespace {

using TableColumn = std::pair<std::string, std::string>;  // its table, its name

std::vector<TableColumn> columns_of(const std::filesystem::path& path) {
  base::Progress progress;
  auto database = import::sqlite::open_read_only(path, progress);
  if (!database) return {};
  auto rows = database->prepare(
      "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
      "WHERE m.type = 'table' AND c.pk = 0");
  std::vector<TableColumn> columns;
  while (rows && rows->next()) columns.emplace_back(rows->text(0), rows->text(1));
  return columns;
}

// The cells of a column that tell nothing, over all rows of a report.
std::ptrdiff_t cells_not_recorded(const profile::Profile& profile, std::string_view report,
                                  std::string_view column) {
  const auto info = std::ranges::find(reports(), report, &ReportInfo::name);
  const auto table = make_report(*info, {profile});
  if (!table) return -1;
  const auto found = std::ranges::find(table->columns, column, &Column::id);
  std::ptrdiff_t count = 0;
  for (std::size_t row = 0; row < table->row_count; ++row) {
    if (found->cell(row) == Cell{}) ++count;
  }
  return count;
}

TEST(MissingColumns, LeaveTheirCellsEmpty) {
  struct Lack {
    std::string_view table, column, report, cell;
    std::ptrdiff_t rows;  // of that table, which the report has
  };
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "run.sqlite";
  testing::write_export(path);
  const auto whole = testing::open_for_test(path);
  ASSERT_TRUE(whole.ok());
  for (const Lack& lack :
       {Lack{"CUPTI_ACTIVITY_KIND_KERNEL", "streamId", "cuda_gpu_trace", "stream", 2},
        Lack{"CUPTI_ACTIVITY_KIND_KERNEL", "contextId", "cuda_gpu_trace", "context", 2},
        Lack{"CUPTI_ACTIVITY_KIND_MEMCPY", "bytes", "cuda_gpu_trace", "bytes", 1},
        Lack{"CUPTI_ACTIVITY_KIND_RUNTIME", "returnValue", "cuda_api_trace", "result", 2}}) {
    SCOPED_TRACE(lack.column);
    std::filesystem::remove(path);
    testing::write_export(path,
                          fmt::format("ALTER TABLE {} DROP COLUMN {};", lack.table, lack.column));
    const auto profile = testing::open_for_test(path);
    ASSERT_TRUE(profile.ok());
    EXPECT_EQ(cells_not_recorded(*profile, lack.report, lack.cell),
              cells_not_recorded(*whole, lack.report, lack.cell) + lack.rows);
  }
}

TEST(MissingColumns, ThatTieKernelsToTheirCallsAreToldOf) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "run.sqlite";
  const auto tells = [&path] {
    const auto profile = testing::open_for_test(path);
    return profile.ok() &&
           std::ranges::find(profile->not_recorded, "Which call launched a kernel",
                             &profile::NotRecorded::what) != profile->not_recorded.end();
  };
  testing::write_export(path);
  EXPECT_FALSE(tells());
  for (const char* column : {"correlationId", "globalPid"}) {
    std::filesystem::remove(path);
    testing::write_export(
        path, fmt::format("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN {};", column));
    EXPECT_TRUE(tells()) << column;
  }
}

TEST(MissingColumns, AreReadAndReported) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "run.sqlite";
  const std::vector<TableColumn> columns = columns_of(testing::write_export(path));
  ASSERT_GT(columns.size(), 100U);
  int opened = 0;
  for (const auto& [table, column] : columns) {
    SCOPED_TRACE(table + "." + column);
    std::filesystem::remove(path);
    testing::write_export(path, "ALTER TABLE " + table + " DROP COLUMN \"" + column + "\";");
    const auto profile = testing::open_for_test(path);
    if (!profile) {
      EXPECT_TRUE(column == "start" || column == "end" || column == "value")
          << testing::error_of(profile);
      continue;
    }
    ++opened;
    for (const ReportInfo& report : reports()) {
      std::ostringstream out;
      if (const auto made = make_report(report, {*profile})) nsys::write_csv(*made, out);
    }
  }
  EXPECT_GT(opened, 90);
}

}  // namespace
}  // namespace dlview::report::nsys
