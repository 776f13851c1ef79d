#include "report/query.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/cell_text.h"
#include "report/query/cell_filter.h"
#include "report/query/pieces.h"

namespace dlview::report {
namespace {

using aggregate::Unit;

// Cells of every kind with many equal ones, some not recorded, and more rows than one piece.
struct RandomTable {
  std::vector<std::vector<Cell>> cells;  // by column, then row
  std::deque<std::string> texts;
  Table table;

  RandomTable(std::size_t rows, uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 40; ++i) texts.push_back("Text " + std::to_string(random() % 30));
    texts.emplace_back();
    const auto one_of_ten = [&random] { return random() % 10 == 0; };
    const auto fill = [&](auto make) {
      std::vector<Cell> column(rows);
      for (Cell& cell : column) {
        if (!one_of_ten()) cell = make();
      }
      cells.push_back(std::move(column));
    };
    fill([&] { return Cell(std::string_view(texts[random() % texts.size()])); });
    fill([&] { return Cell(std::to_string(random() % 50) + "-made"); });
    fill([&] { return Cell(static_cast<int64_t>(random() % 200) - 100); });
    fill([&] { return Cell(static_cast<double>(random() % 100) / 8 - 4); });
    fill([&] { return Cell(random() % 2 == 0); });
    const auto at = [this](std::size_t column) {
      return [this, column](std::size_t row) { return cells[column][row]; };
    };
    table = {"random", "Random", Layout::rows, {}, rows};
    table.columns = {text_column("stable", "Stable", at(0)), text_column("made", "Made", at(1)),
                     integer_column("time", "Time", Unit::ns, at(2)),
                     real_column("share", "Share", Unit::percent, at(3)),
                     flag_column("flag", "Flag", at(4))};
  }
};

const Column& column_of(const Table& table, const std::string& id) {
  return *std::find_if(table.columns.begin(), table.columns.end(),
                       [&id](const Column& column) { return column.id == id; });
}

// -1, 0 or 1; not recorded after everything.
int slow_order(const Cell& a, const Cell& b, SortDirection direction) {
  const bool a_missing = std::holds_alternative<std::monostate>(a);
  const bool b_missing = std::holds_alternative<std::monostate>(b);
  if (a_missing || b_missing) return (a_missing ? 1 : 0) - (b_missing ? 1 : 0);
  const int sign = direction == SortDirection::ascending ? 1 : -1;
  if (a == b) return 0;
  if (a.index() == b.index()) return a < b ? -sign : sign;
  return to_text(a) < to_text(b) ? -sign : sign;
}

bool slow_search(const Table& table, std::size_t row, const std::string& lower_case) {
  for (const Column& column : table.columns) {
    if (column.kind == CellKind::flag) continue;
    std::string text;
    append_full_text(text, column.cell(row));
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (text.find(lower_case) != std::string::npos) return true;
  }
  return false;
}

std::vector<uint32_t> slow_query(const Table& table, const TableQuery& query) {
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < table.row_count; ++row) {
    bool passes = query.search.empty() || slow_search(table, row, query.search);
    for (const ColumnFilter& filter : query.filters) {
      const Column& column = column_of(table, filter.column);
      passes = passes && CellFilter::parse(column, filter.text)->passes(column.cell(row));
    }
    if (passes) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    for (const SortKey& key : query.sort) {
      const Column& column = column_of(table, key.column);
      const int order = slow_order(column.cell(a), column.cell(b), key.direction);
      if (order != 0) return order < 0;
    }
    return false;
  });
  return rows;
}

std::vector<uint32_t> run(const Table& table, const TableQuery& query) {
  base::Progress progress;
  const auto rows = run_query(table, query, progress);
  EXPECT_TRUE(rows.ok()) << (rows.ok() ? "" : base::to_text(rows.error()));
  return rows.ok() ? *rows : std::vector<uint32_t>{};
}

TEST(Query, EqualsTheSlowQuery) {
  constexpr auto kUp = SortDirection::ascending, kDown = SortDirection::descending;
  const std::vector<TableQuery> queries = {
      {},
      {"", {}, {{"stable", kUp}}},
      {"", {}, {{"made", kDown}}},
      {"", {}, {{"time", kUp}}},
      {"", {}, {{"time", kDown}}},
      {"", {}, {{"share", kDown}}},
      {"", {}, {{"flag", kDown}, {"share", kUp}, {"stable", kDown}}},
      {"text 1", {}, {}},
      {"3", {}, {{"time", kUp}}},
      {"-made", {{"flag", "1"}}, {}},
      {"", {{"stable", "/[2-4]$/"}, {"time", "-20..60"}, {"share", "<3%"}}, {{"made", kUp}}},
      {"no cell has this", {}, {{"time", kUp}}},
  };
  for (const std::size_t rows :
       {std::size_t{0}, std::size_t{1}, std::size_t{500}, kPieceRows + 7}) {
    const RandomTable random(rows, rows + 1);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      EXPECT_EQ(run(random.table, queries[i]), slow_query(random.table, queries[i]))
          << rows << " rows, query " << i;
    }
  }
}

TEST(Query, ExtremeNumbersKeepTheirPlaces) {
  const std::vector<Cell> cells = {Cell(), std::numeric_limits<int64_t>::max(), int64_t{0},
                                   std::numeric_limits<int64_t>::min(), int64_t{-1}};
  Table table{"t", "T", Layout::rows, {}, cells.size()};
  table.columns = {
      integer_column("n", "N", Unit::none, [&](std::size_t row) { return cells[row]; })};
  EXPECT_EQ(run(table, {"", {}, {{"n", SortDirection::ascending}}}),
            (std::vector<uint32_t>{3, 4, 2, 1, 0}));
  EXPECT_EQ(run(table, {"", {}, {{"n", SortDirection::descending}}}),
            (std::vector<uint32_t>{1, 2, 4, 3, 0}));
}

TEST(Query, SortsRealsWithNanAsMissing) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Cell> cells = {Cell(std::nan("")), 0.0,  -0.0,  -infinity,
                                   infinity,           -1.5, 1e-300};
  Table table{"t", "T", Layout::rows, {}, cells.size()};
  table.columns = {real_column("n", "N", Unit::none, [&](std::size_t row) { return cells[row]; })};
  EXPECT_EQ(run(table, {"", {}, {{"n", SortDirection::ascending}}}),
            (std::vector<uint32_t>{3, 5, 1, 2, 6, 4, 0}));
}

TEST(Query, TreatsEmptyTextsAsTexts) {
  const std::vector<Cell> cells = {std::string_view("b"), std::string_view(), Cell(),
                                   std::string_view(""), std::string()};
  Table table{"t", "T", Layout::rows, {}, cells.size()};
  table.columns = {text_column("n", "N", [&](std::size_t row) { return cells[row]; })};
  EXPECT_EQ(run(table, {"", {}, {{"n", SortDirection::ascending}}}),
            (std::vector<uint32_t>{1, 3, 4, 0, 2}));
}

TEST(Query, IgnoresEmptyFilters) {
  const RandomTable random(100, 1);
  EXPECT_EQ(run(random.table, {"", {{"time", ""}}, {}}).size(), 100U);
}

TEST(Query, NamesUnknownAndValidColumns) {
  const RandomTable random(3, 1);
  base::Progress progress;
  const auto rows = run_query(random.table, {"", {{"tme", "1"}}, {}}, progress);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().title, "Unknown column: \"tme\"");
  EXPECT_EQ(rows.error().advice, "Valid values: stable, made, time, share, flag");
  EXPECT_FALSE(check_query(random.table, {"", {}, {{"tme", SortDirection::ascending}}}).ok());
  EXPECT_FALSE(check_query(random.table, {"", {{"time", "soon"}}, {}}).ok());
  EXPECT_TRUE(check_query(random.table, {"x", {{"time", ">1"}}, {}}).ok());
}

TEST(Query, EndsAsCanceled) {
  const RandomTable random(100, 1);
  base::Progress progress;
  progress.cancel();
  const auto rows = run_query(random.table, {"", {{"flag", "1"}}, {}}, progress);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().title, "Canceled");
}

TEST(Query, StopsSoonAfterItIsCanceled) {
  base::Progress progress;
  std::atomic<std::size_t> asked = 0;
  Table table{"t", "T", Layout::rows, {}, 100 * kPieceRows};
  table.columns = {integer_column("n", "N", Unit::none, [&](std::size_t) {
    if (++asked == 10) progress.cancel();
    return Cell(int64_t{1});
  })};
  EXPECT_FALSE(run_query(table, {"", {{"n", "1"}}, {}}, progress).ok());
  EXPECT_LT(asked, table.row_count / 2);
}

TEST(Query, ParsesItsOwnTexts) {
  const auto filter = parse_column_filter("gpu_time=>=1ms");
  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(*filter, (ColumnFilter{"gpu_time", ">=1ms"}));
  EXPECT_EQ(to_text(*filter), "gpu_time=>=1ms");
  EXPECT_FALSE(parse_column_filter("gpu_time>1ms").ok());
  EXPECT_FALSE(parse_column_filter("=1").ok());

  const auto sort = parse_sort("gpu_time:desc,name,calls:asc");
  ASSERT_TRUE(sort.ok());
  EXPECT_EQ(*sort, (std::vector<SortKey>{{"gpu_time", SortDirection::descending},
                                         {"name", SortDirection::ascending},
                                         {"calls", SortDirection::ascending}}));
  EXPECT_EQ(to_text(*sort), "gpu_time:desc,name:asc,calls:asc");
  EXPECT_TRUE(parse_sort("")->empty());
  for (const char* bad : {",", "a,", ":asc", "a:up"}) EXPECT_FALSE(parse_sort(bad).ok()) << bad;
}

}  // namespace
}  // namespace dlview::report
