#include "ui/table/table_data.h"

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ui/table/open_rows.h"

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

// Rows a, a/b, a/b/c, d by their levels.
std::shared_ptr<const TableData> tree_of_four() {
  auto data = std::make_shared<TableData>();
  data->table.row_count = 4;
  data->table.columns.push_back(report::column("depth", [](std::size_t row) -> report::Cell {
    return std::array<int64_t, 4>{0, 1, 2, 0}[row];
  }));
  data->table.columns.push_back(report::column("module_path", [](std::size_t row) -> report::Cell {
    return std::array<std::string_view, 4>{"a", "a/b", "a/b/c", "d"}[row];
  }));
  data->tree =
      std::make_shared<const RowTree>(tree_by_level(data->table, {"depth", "module_path"}));
  return data;
}

using Open = std::vector<bool>;

TEST(OpenRows, FollowTheLevels) {
  const auto data = tree_of_four();
  const RowTree& tree = *data->tree;
  EXPECT_EQ(tree.parent, (std::vector<uint32_t>{RowTree::kTop, 0, 1, RowTree::kTop}));
  EXPECT_EQ(tree.has_children, (Open{true, true, false, false}));
  EXPECT_EQ(tree.is_open, Open(4));
}

TEST(OpenRows, OpenTheFirstLevels) {
  const auto data = tree_of_four();
  OpenRows open;
  open.open_first(*data->tree);
  EXPECT_EQ(open.apply(data)->tree->is_open, (Open{true, true, false, false}));
  RowTree tree = *data->tree;
  tree.has_children[3] = true;  // now both rows at the top contain others
  auto several = std::make_shared<TableData>(*data);
  several->tree = std::make_shared<const RowTree>(std::move(tree));
  OpenRows closed;
  closed.open_first(*several->tree);
  EXPECT_EQ(closed.apply(several)->tree->is_open, Open(4));
}

TEST(OpenRows, TakeLevelsOfDamagedFiles) {
  report::Table table;
  table.row_count = 5;
  table.columns.push_back(report::column("depth", [](std::size_t row) -> report::Cell {
    return std::array<int64_t, 5>{3, 7, -2, 1, INT64_MIN}[row];
  }));
  const RowTree tree = tree_by_level(table, {"depth", {}});
  EXPECT_EQ(tree.parent,
            (std::vector<uint32_t>{RowTree::kTop, 0, RowTree::kTop, 2, RowTree::kTop}));
  EXPECT_EQ(tree.has_children, (Open{true, false, true, false, false}));
}

TEST(OpenRows, TurnAndRevealRows) {
  const auto data = tree_of_four();
  OpenRows open;
  const auto state = [&] { return open.apply(data)->tree->is_open; };
  EXPECT_EQ(state(), Open(4));
  open.turn(0);
  EXPECT_EQ(state(), (Open{true, false, false, false}));
  open.turn(0);
  EXPECT_EQ(state(), Open(4));
  open.reveal(2);
  EXPECT_EQ(state(), (Open{true, true, false, false}));
  open.set_all(false);
  EXPECT_EQ(state(), Open(4));
  open.set_all(true);
  EXPECT_EQ(state(), (Open{true, true, false, false}));
  EXPECT_EQ(open.apply(data), open.apply(data)) << "made once";
  // Other numbers: the same keys stay open.
  EXPECT_EQ(open.apply(tree_of_four())->tree->is_open, (Open{true, true, false, false}));
  open.turn(1);
  EXPECT_EQ(state(), (Open{true, false, false, false})) << "one of all";
  open.reveal(2);
  EXPECT_EQ(state(), (Open{true, true, false, false}));
}

// Rows of random levels, from 0 on: row i has the path "module/<first + i>".
std::shared_ptr<const TableData> random_tree(std::mt19937_64& random, uint32_t first) {
  auto data = std::make_shared<TableData>();
  data->table.row_count = 60;
  std::vector<int64_t> levels{0};
  while (levels.size() < data->table.row_count) {
    levels.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(levels.back() + 2)));
  }
  data->table.columns.push_back(
      report::column("depth", [levels](std::size_t row) { return report::Cell(levels[row]); }));
  data->table.columns.push_back(report::column("module_path", [first](std::size_t row) {
    return report::Cell("module/" + std::to_string(first + row));
  }));
  data->tree =
      std::make_shared<const RowTree>(tree_by_level(data->table, {"depth", "module_path"}));
  return data;
}

// Against a set of texts, over tables that have some rows in common.
TEST(OpenRows, FollowTheTextsOfTheirKeys) {
  std::mt19937_64 random(7);
  OpenRows open;
  std::set<std::string> expected;
  for (int step = 0; step < 300; ++step) {
    const auto data = random_tree(random, static_cast<uint32_t>(random() % 40));
    const RowTree& tree = *data->tree;
    const auto key = [&](uint32_t row) { return text_of_cell(data->table, row, "module_path"); };
    open.apply(data);
    const auto row = static_cast<uint32_t>(random() % data->table.row_count);
    if (random() % 2 == 0) {
      open.turn(row);
      if (expected.erase(key(row)) == 0) expected.insert(key(row));
    } else {
      open.reveal(row);
      for (uint32_t at = tree.parent[row]; at != RowTree::kTop; at = tree.parent[at]) {
        expected.insert(key(at));
      }
    }
    const auto shown = open.apply(data);
    for (uint32_t at = 0; at < data->table.row_count; ++at) {
      const uint32_t parent = tree.parent[at];
      const bool is_open = tree.has_children[at] && expected.contains(key(at)) &&
                           (parent == RowTree::kTop || shown->tree->is_open[parent]);
      ASSERT_EQ(shown->tree->is_open[at], is_open) << step << " row " << at;
    }
  }
}

// 100,000 rows, one in the other ten deep: reading their keys would take longer than a frame.
TEST(OpenRows, ReadNoKeys) {
  constexpr uint32_t kRows = 100'000;
  std::size_t keys = 0;
  const auto make = [&keys] {
    auto data = std::make_shared<TableData>();
    data->table.row_count = kRows;
    data->table.columns.push_back(
        report::column("depth", [](std::size_t row) { return report::Cell(int64_t(row % 10)); }));
    data->table.columns.push_back(report::column("module_path", [&keys](std::size_t row) {
      ++keys;
      return report::Cell("module/" + std::to_string(row));
    }));
    data->tree =
        std::make_shared<const RowTree>(tree_by_level(data->table, {"depth", "module_path"}));
    return data;
  };
  const auto data = make();
  EXPECT_EQ(std::exchange(keys, 0), kRows) << "with the table, in the background";
  OpenRows open;
  open.set_all(true);
  EXPECT_EQ(open.apply(data)->tree->is_open, data->tree->has_children);
  open.turn(5);
  Open expected = data->tree->has_children;
  for (uint32_t row = 5; row < 10; ++row) expected[row] = false;
  EXPECT_EQ(open.apply(data)->tree->is_open, expected);
  open.reveal(29);
  EXPECT_EQ(open.apply(data)->tree->is_open, expected);
  open.open(*data->tree, 17);
  EXPECT_EQ(open.apply(data)->tree->is_open, expected);
  EXPECT_EQ(keys, 0U);
  const auto other = make();
  keys = 0;
  EXPECT_EQ(open.apply(other)->tree->is_open, expected);
  EXPECT_EQ(keys, 0U) << "of a new table";
}

}  // namespace
}  // namespace dlview::ui
