// Exports in which single columns are missing are read and reported: any column of any table may be
// absent (nsys-export.md, 2), and nothing may look for what is not there.
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "import/nsys/test_export.h"
#include "import/sqlite/database.h"
#include "report/nsys/reports.h"
#include "report/writers/csv.h"

namespace dlview::report::nsys {
namespace {

using Column = std::pair<std::string, std::string>;  // its table, its name

std::vector<Column> columns_of(const std::filesystem::path& path) {
  base::Progress progress;
  auto database = import::sqlite::open_read_only(path, progress);
  if (!database) return {};
  auto rows = database->prepare(
      "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
      "WHERE m.type = 'table' AND c.pk = 0");
  std::vector<Column> columns;
  while (rows && rows->next()) columns.emplace_back(rows->text(0), rows->text(1));
  return columns;
}

TEST(MissingColumns, AreReadAndReportedAsNotRecorded) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "run.sqlite";
  const std::vector<Column> columns = columns_of(testing::write_export(path));
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
      if (const auto made = make_report(report, {*profile})) write_csv(*made, out);
    }
  }
  EXPECT_GT(opened, 90);
}

}  // namespace
}  // namespace dlview::report::nsys
