#include "ui/table/constant_columns.h"

#include <atomic>

#include <gmock/gmock.h>

namespace dlview::ui {
namespace {

using report::Cell;

// Three columns: a constant, numbers that grow, and nothing; the last row of the first one may
// differ.
std::shared_ptr<const TableData> rows_with(std::size_t count, int64_t constant, int64_t last) {
  auto data = std::make_shared<TableData>();
  data->table.row_count = count;
  const auto add = [&](const std::string& id, std::function<Cell(std::size_t)> cell) {
    data->table.columns.push_back(
        report::integer_column(id, id, aggregate::Unit::none, std::move(cell)));
  };
  add("constant", [=](std::size_t row) -> Cell { return row + 1 == count ? last : constant; });
  add("number", [](std::size_t row) -> Cell { return static_cast<int64_t>(row); });
  add("nothing", [](std::size_t) -> Cell { return {}; });
  return data;
}

class ConstantColumnsTest : public ::testing::Test {
 protected:
  void show(const std::shared_ptr<const TableData>& data) {
    columns_.update(data, {0, 1, 2}, background_);
    background_.wait_until_idle();
    columns_.update(data, {0, 1, 2}, background_);
  }
  bool is_constant(std::size_t column) const { return columns_.cell(column) != nullptr; }

  base::Scheduler scheduler_;
  Background background_{scheduler_};
  ConstantColumns columns_;
};

TEST_F(ConstantColumnsTest, FindsEqualAndUnrecordedCells) {
  show(rows_with(10, 7, 7));
  ASSERT_TRUE(is_constant(0));
  EXPECT_EQ(*columns_.cell(0), Cell(int64_t{7}));
  EXPECT_FALSE(is_constant(1));
  ASSERT_TRUE(is_constant(2));
  EXPECT_EQ(*columns_.cell(2), Cell());
}

TEST_F(ConstantColumnsTest, OneRowIsNotConstant) {
  show(rows_with(1, 7, 7));
  EXPECT_FALSE(is_constant(0));
  show(rows_with(0, 7, 7));
  EXPECT_FALSE(is_constant(2));
}

TEST_F(ConstantColumnsTest, ADifferenceStaysKnown) {
  show(rows_with(10, 7, 8));
  EXPECT_FALSE(is_constant(0));
  show(rows_with(10, 7, 7));
  EXPECT_FALSE(is_constant(0)) << "columns do not vanish again";
}

TEST_F(ConstantColumnsTest, AnotherConstantIsADifference) {
  show(rows_with(10, 7, 7));
  EXPECT_TRUE(is_constant(0));
  show(rows_with(10, 9, 9));
  EXPECT_FALSE(is_constant(0));
  EXPECT_TRUE(is_constant(2));
}

TEST_F(ConstantColumnsTest, ReadsAllRowsOfALargeTable) {
  auto data = std::make_shared<TableData>(*rows_with(100'000, 7, 7));
  data->table.columns[0].cell = [](std::size_t row) -> Cell {
    return int64_t{row == 54'321 ? 8 : 7};
  };
  columns_.update(data, {0, 1, 2}, background_);
  EXPECT_TRUE(is_constant(0)) << "as far as it has been looked at";
  show(data);
  EXPECT_FALSE(is_constant(0));
  EXPECT_TRUE(is_constant(2));
}

TEST_F(ConstantColumnsTest, StopsAtTheFirstDifference) {
  auto data = std::make_shared<TableData>(*rows_with(100'000, 7, 7));
  const auto calls = std::make_shared<std::atomic<int>>(0);
  data->table.columns[1].cell = [calls](std::size_t row) -> Cell {
    ++*calls;
    return static_cast<int64_t>(row);
  };
  show(data);
  EXPECT_LT(*calls, 10);
}

// The fast answer against all cells compared.
TEST(ConstantCells, AgreeWithEveryCellCompared) {
  for (const int64_t last : {7, 8}) {
    const report::Table table = rows_with(50, 7, last)->table;
    base::Progress progress;
    const auto cells = constant_cells(table, {0, 1, 2}, progress);
    for (std::size_t column = 0; column < 3; ++column) {
      bool all_equal = true;
      for (std::size_t row = 0; row < table.row_count; ++row) {
        all_equal = all_equal && table.cell(row, column) == table.cell(0, column);
      }
      EXPECT_EQ(cells[column].has_value(), all_equal) << column << " " << last;
    }
  }
}

}  // namespace
}  // namespace dlview::ui
