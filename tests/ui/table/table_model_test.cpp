#include "ui/table/table_model.h"

#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "ui/table/row_order.h"
#include "ui/tree_of_paths.h"

namespace dlview::ui {
namespace {

using report::SortDirection;
using ::testing::ElementsAre;

// Names "n0", "n1", ... and values.
std::shared_ptr<const TableData> data_of(std::vector<int64_t> values) {
  const auto shared = std::make_shared<const std::vector<int64_t>>(std::move(values));
  auto data = std::make_shared<TableData>();
  report::Table& table = data->table;
  table.row_count = shared->size();
  table.columns.push_back(report::text_column(
      "name", "Name", [](std::size_t row) -> report::Cell { return "n" + std::to_string(row); }));
  table.columns.push_back(
      report::integer_column("value", "Value", aggregate::Unit::ns,
                             [shared](std::size_t row) -> report::Cell { return (*shared)[row]; }));
  return data;
}

TableLook model_look() {
  TableLook look;
  look.id = "t";
  look.key = report::ColumnName(std::string_view("name"));
  look.columns.resize(2);
  look.columns[0].id = "name";
  look.columns[1].id = "value";
  look.columns[1].bar = [](const report::Table&, std::size_t) { return Tone::cpu; };
  return look;
}

class TableModelTest : public ::testing::Test {
 protected:
  void show(std::shared_ptr<const TableData> data) {
    data_ = std::move(data);
    update();
  }
  // As often as it takes for what runs beside it to be taken over.
  void update() {
    model_.update(data_, background_);
    background_.wait_until_idle();
    model_.update(data_, background_);
  }
  const report::Column& column(std::size_t i) { return data_->table.columns[i]; }
  std::vector<uint32_t> rows() { return model_.rows()->rows; }

  base::Scheduler scheduler_;
  Background background_{scheduler_};
  TableModel model_{model_look()};
  std::shared_ptr<const TableData> data_;
};

TEST_F(TableModelTest, ClicksSortNumbersDescendingThenAscending) {
  show(data_of({3, 1, 2}));
  model_.sort_by(column(1), false);
  update();
  EXPECT_THAT(rows(), ElementsAre(0, 2, 1));
  model_.sort_by(column(1), false);
  update();
  EXPECT_THAT(rows(), ElementsAre(1, 2, 0));
}

// Of a table that is filtered within the frame, and of one that is filtered beside it.
TEST_F(TableModelTest, KeepsItsRowsWhenAFilterFails) {
  for (const std::size_t count : {3U, 30'000U}) {
    auto data = std::make_shared<TableData>(*data_of(std::vector<int64_t>(count, 1)));
    const auto fails = std::make_shared<std::atomic<bool>>(false);
    data->table.columns[0].cell = [fails](std::size_t row) -> report::Cell {
      if (*fails) throw std::bad_alloc();
      return "n" + std::to_string(row);
    };
    show(data);
    *fails = true;
    model_.set_filter("name", "n1");
    update();
    EXPECT_EQ(rows().size(), count);
    EXPECT_EQ(model_.problem(), "Not enough memory");
    const auto failure = background_.take_failure();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->title, "Not enough memory");
    model_.set_filter("name", "");
    *fails = false;
    update();
  }
}

TEST_F(TableModelTest, ASecondKeyBreaksTies) {
  show(data_of({1, 2, 1, 2}));
  model_.sort_by(column(1), false);
  model_.sort_by(column(0), true);
  model_.sort_by(column(0), true);
  EXPECT_EQ(model_.query().sort[1].direction, SortDirection::descending);
  update();
  EXPECT_THAT(rows(), ElementsAre(3, 1, 2, 0));
}

TEST_F(TableModelTest, FiltersNarrowAndAnEmptyOneIsNone) {
  show(data_of({3, 1, 2}));
  model_.set_filter("value", ">1");
  update();
  EXPECT_THAT(rows(), ElementsAre(0, 2));
  model_.set_filter("value", "");
  EXPECT_TRUE(model_.query().filters.empty());
}

TEST_F(TableModelTest, AFilterThatMeansNothingLeavesTheRowsAndSaysSo) {
  show(data_of({3, 1, 2}));
  model_.set_filter("value", ">>");
  update();
  EXPECT_EQ(rows().size(), 3u);
  EXPECT_FALSE(model_.problem().empty());
  model_.set_filter("value", ">1");
  update();
  EXPECT_TRUE(model_.problem().empty());
}

TEST_F(TableModelTest, KeepsTheSelectedRowAfterSorting) {
  show(data_of({3, 1, 2}));
  model_.select_place(2);
  EXPECT_EQ(model_.selected(), "n2");
  model_.sort_by(column(1), false);
  update();
  EXPECT_EQ(model_.selected_place(), 1u);
  show(data_of({3, 1, 9, 4}));
  EXPECT_EQ(model_.selected_place(), 0u);
  EXPECT_EQ(model_.selected_row(), 2u);
  EXPECT_TRUE(model_.marks().contains(0));
}

TEST_F(TableModelTest, ASelectedRowThatIsAwayForAWhileComesBack) {
  show(data_of({3, 1, 2}));
  model_.select("n2");
  show(data_of({3}));
  EXPECT_EQ(model_.selected(), "n2");
  EXPECT_FALSE(model_.selected_place());
  show(data_of({3, 1, 2}));
  EXPECT_EQ(model_.selected_place(), 2u);
}

class DrivingTableTest : public TableModelTest {
 protected:
  DrivingTableTest() {
    TableLook look = model_look();
    look.is_driving = true;
    model_ = TableModel(std::move(look));
  }
};

TEST_F(DrivingTableTest, SelectsItsFirstRowByDefault) {
  show(data_of({3, 1, 2}));
  EXPECT_EQ(model_.selected(), "n0");
  EXPECT_EQ(model_.selected_place(), 0u);
  EXPECT_TRUE(model_.marks().contains(0));
  EXPECT_EQ(model_.chosen(), "") << "the user selected none";
  model_.sort_by(column(1), false);
  model_.sort_by(column(1), false);
  update();
  EXPECT_EQ(model_.selected(), "n1") << "it is the first one in any order";
  show(data_of({}));
  EXPECT_EQ(model_.selected(), "");
}

TEST_F(DrivingTableTest, KeepsWhatTheUserSelected) {
  show(data_of({3, 1, 2}));
  model_.select_place(2);
  EXPECT_EQ(model_.chosen(), "n2");
  model_.sort_by(column(1), false);
  update();
  EXPECT_EQ(model_.selected(), "n2");
  show(data_of({3}));
  EXPECT_EQ(model_.selected(), "n2") << "it may come back";
}

TEST_F(DrivingTableTest, AClickOnTheDefaultRowChoosesIt) {
  show(data_of({3, 1, 2}));
  model_.select_place(0);
  EXPECT_EQ(model_.chosen(), "n0");
}

TEST_F(DrivingTableTest, StaysDeselectedUntilTheDataChange) {
  show(data_of({3, 1, 2}));
  model_.deselect();
  EXPECT_EQ(model_.selected(), "");
  EXPECT_FALSE(model_.selected_place());
  EXPECT_TRUE(model_.marks().empty());
  model_.sort_by(column(1), false);
  update();
  EXPECT_EQ(model_.selected(), "");
  show(data_of({3, 1, 4}));
  EXPECT_EQ(model_.selected(), "n2");
}

TEST_F(TableModelTest, OtherTablesSelectNothingByDefault) {
  show(data_of({3, 1, 2}));
  EXPECT_EQ(model_.selected(), "");
  EXPECT_FALSE(model_.selected_place());
}

TEST_F(TableModelTest, KeysMoveTheSelectionAndStopAtTheEnds) {
  show(data_of({3, 1, 2}));
  model_.move_selection(1, false);
  EXPECT_EQ(model_.selected_place(), 0u);
  model_.move_selection(10, false);
  EXPECT_EQ(model_.selected_place(), 2u);
  model_.move_selection(-1, true);
  EXPECT_EQ(model_.selected_place(), 1u);
  EXPECT_EQ(model_.marks().count(), 2u);
}

TEST_F(TableModelTest, BarsAreMeasuredByTheLargestRowThatIsShown) {
  show(data_of({30, 10, 20}));
  EXPECT_EQ(model_.rows()->largest[1], 30);
  model_.set_filter("value", "<25");
  update();
  EXPECT_EQ(model_.rows()->largest[1], 20);
}

TEST_F(TableModelTest, KeepsOldRowsUntilTheNewOrderIsReady) {
  std::vector<int64_t> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 7919 % 1000);
  show(data_of(values));
  ASSERT_EQ(rows().size(), values.size());
  model_.set_filter("value", "=7");
  model_.update(data_, background_);
  EXPECT_EQ(rows().size(), model_.is_late() ? values.size() : 100u);
  update();
  EXPECT_EQ(rows().size(), 100u);
  EXPECT_FALSE(model_.is_late());
}

TEST_F(TableModelTest, ShowsRowsWhileNumbersKeepChanging) {
  std::vector<int64_t> values(50'000, 1);
  show(data_of(values));
  const auto first = model_.rows();
  for (int i = 0; i < 100 && model_.rows() == first; ++i) {
    model_.update(data_of(values), background_);
    background_.wait_until_idle();
  }
  EXPECT_NE(model_.rows(), first);
}

TEST(RowTree, SiblingsAreSortedBelowTheirParents) {
  const std::vector<std::string> paths{"a/", "a/x", "a/y", "b/", "b/z", "top"};
  RowTree tree = testing::tree_of_paths(paths);
  EXPECT_EQ(tree.parent[1], 0u);
  EXPECT_EQ(tree.parent[5], RowTree::kTop);
  EXPECT_TRUE(tree.has_children[3]);
  tree.is_open[0] = true;
  const auto data = data_of({5, 2, 3, 9, 9, 7});
  base::Progress progress;
  const report::TableQuery down{"", {}, {{"value", SortDirection::descending}}};
  EXPECT_THAT(*query_tree(data->table, tree, down, progress), ElementsAre(3, 5, 0, 2, 1))
      << "b is closed";
  const report::TableQuery only{"", {{"name", "n1"}}, {}};
  EXPECT_THAT(*query_tree(data->table, tree, only, progress), ElementsAre(0, 1));
  const report::TableQuery hidden{"n4", {}, {}};
  EXPECT_THAT(*query_tree(data->table, tree, hidden, progress), ElementsAre(3, 4))
      << "what is found is shown, though its parent is closed";
}

}  // namespace
}  // namespace dlview::ui
