#include "ui/table/data_table.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "ui/view_fixture.h"

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t kMany = 10'000'000;

// Rows with a number, counted downwards from the last one, and a name.
std::shared_ptr<const TableData> rows_with(std::size_t count, const std::string& name) {
  auto data = std::make_shared<TableData>();
  report::Table& table = data->table;
  table.row_count = count;
  table.columns = {report::integer_column("number", "Number", aggregate::Unit::none,
                                          [count](std::size_t row) -> report::Cell {
                                            return static_cast<int64_t>(count - 1 - row);
                                          }),
                   report::integer_column("size", "Size", aggregate::Unit::none,
                                          [](std::size_t row) -> report::Cell {
                                            return static_cast<int64_t>(2 * row);
                                          }),
                   report::text_column("name", "Name", [name](std::size_t) -> report::Cell {
                     return std::string_view(name);
                   })};
  return data;
}

TableLook look() {
  return {.id = "t",
          .title = "Rows",
          .noun = "rows",
          .key = report::ColumnName(std::string_view("number")),
          .when_none = "There is none.",
          .columns = {{.id = "number"}, {.id = "name", .share = 1, .code = true}}};
}

class DataTableTest : public testing::ViewFixture {
 protected:
  DataTableTest() {
    draw = [this](Frame& frame, const Box& box, BarLayer&) {
      tables_.focused = "t";
      table_->draw(frame, box, data_, tables_);
    };
  }
  void show(std::shared_ptr<const TableData> data) {
    data_ = std::move(data);
    settle();
  }
  // Draws until what is sorted in the background is on screen.
  void settle() {
    frames(2);
    tables_.background.wait_until_idle();
    frames(2);
  }
  std::string number_at(std::size_t place) {
    return value("t/rows/" + std::to_string(place) + "/number");
  }
  std::size_t rows_on_screen() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(inspector.values(), [](const auto& value) {
          return value.first.starts_with("t/rows/") && value.first.ends_with("/number");
        }));
  }

  base::Scheduler scheduler_;
  Tables tables_{scheduler_};
  std::optional<DataTable> table_{look()};
  std::shared_ptr<const TableData> data_;
};

TEST_F(DataTableTest, WithoutDataTellsWhatToDoAndWithoutRowsWhy) {
  frames(2);
  EXPECT_FALSE(table_->has_data());
  show(rows_with(0, ""));
  EXPECT_TRUE(table_->has_data());
  EXPECT_EQ(value("t/showing"), "Showing 0 rows");
  hit(ImGuiKey_DownArrow);
  EXPECT_FALSE(table_->model().selected_place());
}

TEST_F(DataTableTest, OfTenMillionRowsOnlyThoseInViewAreDrawn) {
  show(rows_with(kMany, "k"));
  EXPECT_GT(rows_on_screen(), 5u);
  EXPECT_LT(rows_on_screen(), 60u);
  EXPECT_EQ(number_at(0), "9999999");
}

TEST_F(DataTableTest, OmitsColumnsThatTheTableLacks) {
  TableLook with_more = look();
  with_more.columns.push_back({.id = "elsewhere"});
  table_.emplace(with_more);
  show(rows_with(3, "k"));
  EXPECT_TRUE(has_item("t/head/name"));
  EXPECT_FALSE(has_item("t/head/elsewhere"));
}

TEST_F(DataTableTest, HomeAndEndReachBothEndsOfTenMillionRows) {
  show(rows_with(kMany, "k"));
  hit(ImGuiKey_End);
  EXPECT_EQ(table_->model().selected_place(), kMany - 1);
  EXPECT_EQ(number_at(kMany - 1), "0");
  const ItemRect last = item("t/rows/" + std::to_string(kMany - 1));
  hit(ImGuiKey_UpArrow);
  EXPECT_FLOAT_EQ(item("t/rows/" + std::to_string(kMany - 2)).bottom, last.top);
  hit(ImGuiKey_Home);
  EXPECT_EQ(number_at(0), "9999999");
}

TEST_F(DataTableTest, APageIsAboutWhatIsInView) {
  show(rows_with(1000, "k"));
  hit(ImGuiKey_DownArrow);
  const std::size_t shown = rows_on_screen();
  hit(ImGuiKey_PageDown);
  const std::size_t place = table_->model().selected_place().value_or(0);
  EXPECT_GE(place + 3, shown);
  EXPECT_LT(place, shown);
  hit(ImGuiKey_PageUp);
  EXPECT_EQ(table_->model().selected_place(), 0u);
}

TEST_F(DataTableTest, ARowThatIsSelectedByItsKeyIsFoundAmongMillions) {
  show(rows_with(kMany, "k"));
  table_->model().select("1234567");
  EXPECT_EQ(table_->model().selected_place(), kMany - 1 - 1234567);
  table_->model().select("no number");
  EXPECT_FALSE(table_->model().selected_place());
}

TEST_F(DataTableTest, KeysButNotClicksShowTheFocusRing) {
  show(rows_with(10, "k"));
  click("t/rows/3");
  EXPECT_EQ(table_->model().selected_place(), 3u);
  EXPECT_FALSE(tables_.shows_focus);
  hit(ImGuiKey_DownArrow);
  EXPECT_TRUE(tables_.shows_focus);
  click("t/rows/3");
  EXPECT_FALSE(tables_.shows_focus);
}

TEST_F(DataTableTest, EnterAsksForTheNextTable) {
  show(rows_with(10, "k"));
  hit(ImGuiKey_Enter);
  EXPECT_FALSE(tables_.command);
  hit(ImGuiKey_DownArrow);
  hit(ImGuiKey_Enter);
  EXPECT_EQ(tables_.command, TableCommand::next);
}

TEST_F(DataTableTest, DownLeavesTheSearchForRows) {
  show(rows_with(3, "k"));
  click("t/search");
  hit(ImGuiKey_DownArrow);
  frames(2);
  hit(ImGuiKey_DownArrow);
  EXPECT_TRUE(table_->model().selected_place());
}

TEST_F(DataTableTest, ShowsALongNameWholeOnDemand) {
  std::string name;
  for (int i = 0; i < 250; ++i) name += "é";
  show(rows_with(3, name));
  const float height = item("t/rows/0").bottom - item("t/rows/0").top;
  const auto height_of = [this](const char* row) { return item(row).bottom - item(row).top; };
  click("t/more/0/name");
  EXPECT_GE(height_of("t/rows/0"), 2 * height);
  EXPECT_FLOAT_EQ(std::fmod(height_of("t/rows/0"), height), 0) << "in whole rows";
  EXPECT_FLOAT_EQ(height_of("t/rows/1"), height);
  click("t/more/0/name");
  EXPECT_FLOAT_EQ(height_of("t/rows/0"), height);
}

TEST_F(DataTableTest, SpaceOpensTheTextsOfTheRow) {
  show(rows_with(3, std::string(10'000, 'x')));
  hit(ImGuiKey_DownArrow);
  const float height = item("t/rows/0").bottom - item("t/rows/0").top;
  hit(ImGuiKey_Space);
  frames(2);
  EXPECT_GT(item("t/rows/0").bottom - item("t/rows/0").top, 10 * height);
  hit(ImGuiKey_Space);
  frames(2);
  EXPECT_FLOAT_EQ(item("t/rows/0").bottom - item("t/rows/0").top, height);
}

TEST_F(DataTableTest, AShortNameHasNothingToOpen) {
  show(rows_with(3, "short"));
  EXPECT_FALSE(has_item("t/more/0/name"));
}

// Half of the names end like this one, so that the plain cut shows their common end.
TEST_F(DataTableTest, NamesThatAreCutStayDifferent) {
  auto data = std::make_shared<TableData>(*rows_with(4, ""));
  data->table.columns.back() =
      report::text_column("name", "Name", [](std::size_t row) -> report::Cell {
        const std::string end(300, 'e');
        return std::string(row < 2 ? "/step/" : "/epoch/") + std::to_string(row) + end;
      });
  show(data);
  std::set<std::string> cut;
  for (int row = 0; row < 4; ++row) cut.insert(value("t/cut/" + std::to_string(row) + "/name"));
  EXPECT_EQ(cut.size(), 4u);
  EXPECT_THAT(cut, ::testing::Each(::testing::EndsWith("eeee")));
}

class NarrowTableTest : public DataTableTest {
 protected:
  NarrowTableTest() {
    ImGui::GetIO().DisplaySize = {420, 500};
    TableLook wide = look();
    wide.columns = {{.id = "number", .width = 150},
                    {.id = "size", .width = 150},
                    {.id = "name", .width = 150, .code = true}};
    table_.emplace(std::move(wide));
    show(rows_with(100, "k"));
  }
  // Neither a title nor a cell reaches beyond the rows.
  void expect_whole_cells() {
    for (const char* column : {"number", "size", "name"}) {
      const std::string title = std::string("t/head/") + column;
      if (!has_item(title)) continue;
      EXPECT_LE(item(title).right, item("t/rows/0").right) << column;
      EXPECT_GE(item(title).left, item("t/rows/0").left) << column;
    }
  }
};

TEST_F(NarrowTableTest, ReachesColumnsBeyondTheEdge) {
  expect_whole_cells();
  EXPECT_LE(item("t/rows/0").right, item("t/scroll").left);
  EXPECT_FALSE(has_item("t/head/size"));
  EXPECT_EQ(value("t/more_columns"), "+1 column ›");
  drag("t/scroll_x", 300);
  frames(2);
  EXPECT_TRUE(has_item("t/head/size"));
  EXPECT_TRUE(has_item("t/head/name")) << "the names stay";
  EXPECT_FALSE(has_item("t/head/number"));
  expect_whole_cells();
}

TEST_F(NarrowTableTest, AClickShowsMoreColumns) {
  click("t/more_columns");
  frames(2);
  EXPECT_TRUE(has_item("t/head/size"));
  EXPECT_EQ(value("t/more_columns"), "‹ +1 column");
  click("t/more_columns");
  frames(2);
  EXPECT_TRUE(has_item("t/head/number"));
}

TEST_F(NarrowTableTest, ArrowKeysScrollSideways) {
  hit(ImGuiKey_RightArrow);
  frames(2);
  EXPECT_TRUE(has_item("t/head/size"));
  hit(ImGuiKey_LeftArrow);
  frames(2);
  EXPECT_TRUE(has_item("t/head/number"));
}

TEST_F(NarrowTableTest, CutsNoRow) {
  for (const float height : {500.0f, 507.0f, 519.0f}) {
    ImGui::GetIO().DisplaySize.y = height;
    frames(2);
    const ItemRect rows = item("t/rows");
    for (std::size_t place = 0; has_item("t/rows/" + std::to_string(place)); ++place) {
      EXPECT_LE(item("t/rows/" + std::to_string(place)).bottom, rows.bottom) << height;
    }
  }
}

TEST_F(DataTableTest, ShowsFiltersOnDemand) {
  show(rows_with(10, "k"));
  EXPECT_FALSE(has_item("t/filter/number"));
  const float top = item("t/rows/0").top;
  click("t/funnel/number");
  frames(2);
  ASSERT_TRUE(has_item("t/filter/number/cursor")) << "it has the cursor";
  EXPECT_GT(item("t/rows/0").top, top);
  hit(ImGuiKey_Escape);
  frames(2);
  EXPECT_FALSE(has_item("t/filter/number")) << "with nothing in them Escape hides them";
}

TEST_F(DataTableTest, ActiveFiltersAreShown) {
  show(rows_with(10, "k"));
  table_->model().set_filter("number", ">3");
  settle();
  EXPECT_EQ(value("t/filter/number"), ">3");
  tables_.command = TableCommand::filters;
  frames(2);
  EXPECT_TRUE(has_item("t/filter/number")) << "as long as it narrows the table";
  tables_.command = TableCommand::reset;
  settle();
  EXPECT_FALSE(has_item("t/filter/number"));
}

TEST_F(DataTableTest, TheCommandTurnsFiltersOnAndOff) {
  show(rows_with(10, "k"));
  tables_.command = TableCommand::filters;
  frames(2);
  EXPECT_TRUE(has_item("t/filter/name/cursor"));
  tables_.command = TableCommand::filters;
  frames(2);
  EXPECT_FALSE(has_item("t/filter/name"));
}

TEST_F(DataTableTest, HidesAConstantColumn) {
  TableLook constant = look();
  constant.columns[1].code = false;
  table_.emplace(std::move(constant));
  show(rows_with(10, "k"));
  EXPECT_FALSE(has_item("t/head/name"));
  click("t/columns");
  frames(2);
  click("menu/t/columns_name");
  frames(2);
  EXPECT_TRUE(has_item("t/head/name"));
}

TEST_F(DataTableTest, KeepsAConstantColumnThatCallsForAttention) {
  TableLook calls = look();
  calls.columns[1].code = false;
  calls.columns[1].attention = [](const report::Table&, std::size_t row) { return row == 1; };
  table_.emplace(std::move(calls));
  show(rows_with(10, "k"));
  EXPECT_TRUE(has_item("t/head/name"));
}

TEST_F(DataTableTest, TheDefaultRowIsNotInTheState) {
  TableLook driving = look();
  driving.is_driving = true;
  table_.emplace(std::move(driving));
  show(rows_with(10, "k"));
  EXPECT_EQ(table_->model().selected(), "9");
  EXPECT_EQ(table_->state().selected, "");
  EXPECT_FALSE(table_->is_changed());
  hit(ImGuiKey_Enter);
  EXPECT_EQ(table_->state().selected, "9") << "Enter chooses it";
}

TEST_F(DataTableTest, AFilterThatMeansNothingIsSaidToBeUnused) {
  show(rows_with(10, "k"));
  table_->model().set_filter("number", ">>");
  settle();
  EXPECT_THAT(value("t/showing"), StartsWith("Showing 10 rows"));
  EXPECT_THAT(value("t/showing"), HasSubstr("filter ignored"));
}

}  // namespace
}  // namespace dlview::ui
