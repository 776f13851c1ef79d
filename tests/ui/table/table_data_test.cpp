#include "ui/table/table_data.h"

#include <string>

#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

TEST(TableData, ReturnsEmptyCellsForMissingColumns) {
  report::Table table;
  table.row_count = 1;
  table.columns.push_back(report::text_column(
      "name", "Name", [](std::size_t) -> report::Cell { return std::string("a"); }));
  EXPECT_EQ(cell_in(table, 0, report::ColumnName(std::string_view("name"))),
            report::Cell(std::string("a")));
  EXPECT_EQ(cells_of(table, report::ColumnName(std::string_view("name")))(0),
            report::Cell(std::string("a")));
  EXPECT_EQ(cell_in(table, 0, report::ColumnName(std::string_view("no such column"))),
            report::Cell());
  EXPECT_EQ(cells_of(table, report::ColumnName(std::string_view("no such column")))(0),
            report::Cell());
}

}  // namespace
}  // namespace dlview::ui
