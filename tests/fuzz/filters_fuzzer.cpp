// Filters, orders and searches as people type them: a text that is read means the same when it is
// written and read again, a condition on a number holds for that number, and a query gives the rows
// for which its conditions hold, in order.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "aggregate/filter.h"
#include "fuzz/fuzz.h"
#include "report/query.h"
#include "report/query/cell_filter.h"

namespace dlview::fuzz {
namespace {

using namespace report;
using aggregate::Unit;

constexpr std::array kUnits{Unit::none,  Unit::ns,    Unit::percent,
                            Unit::bytes, Unit::count, Unit::bytes_per_second};
constexpr std::size_t kMostRows = 24;

void check_filter(std::string_view text) {
  for (const aggregate::FilterKind kind : aggregate::kFilterKinds) {
    const auto filter = aggregate::parse_filter(to_text(kind), text);
    if (!filter) continue;
    const auto again = aggregate::parse_filter(to_text(kind), value_text(*filter));
    require(again.ok() && *again == *filter, "a filter reads as another one", to_text(*filter));
  }
}

void check_column_filter(std::string_view text) {
  const auto filter = parse_column_filter(text);
  require(!filter || to_text(*filter) == text, "a column's filter is written otherwise", text);
}

void check_sort(std::string_view text) {
  const auto sort = parse_sort(text);
  if (!sort) return;
  const auto again = parse_sort(to_text(*sort));
  require(again.ok() && *again == *sort, "an order reads as another one", text);
}

void check_numbers(std::string_view text, Unit unit, int64_t number) {
  if (auto range = parse_number_range(text, unit)) {
    require(!std::isnan(range->low) && !std::isnan(range->high), "a bound is no number", text);
  }
  const auto contains = [&](const std::string& written, int64_t value) {
    auto range = parse_number_range(written, unit);
    require(range.ok(), "a condition on a number is not read", written);
    return range->contains(static_cast<long double>(value));
  };
  for (const char* format : {"{0}", "={0}", ">={0}", "<={0}", "{0}..{0}", "{0}.."}) {
    const std::string written = fmt::format(fmt::runtime(format), number);
    require(contains(written, number), "a number is not within itself", written);
  }
  require(!contains(fmt::format(">{}", number), number), "a number is larger than itself");
  require(!contains(fmt::format("<{}", number), number), "a number is less than itself");
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

void check_pattern(std::string_view pattern_text, std::string_view text) {
  auto pattern = TextPattern::literal(pattern_text);
  static_cast<void>(TextPattern::parse(pattern_text));
  if (!pattern || !is_ascii(pattern_text) || !is_ascii(text)) return;
  const bool expected = lower(text).find(lower(pattern_text)) != std::string::npos;
  require(pattern->is_in(text) == expected, "a text is found where it is not, or not where it is",
          fmt::format("\"{}\" in \"{}\"", pattern_text, text));
}

struct Row {
  std::string text;
  int64_t number;
  uint8_t kind;
};

Cell real_cell(const Row& row) {
  if (row.kind % 4 == 3) return {};
  return static_cast<double>(row.number) / 8;
}

Table table_of(const std::vector<Row>& rows, Unit unit) {
  Table table{"rows", "Rows", Layout::rows, {}, rows.size()};
  table.columns = {
      text_column("name", "Name", [&](std::size_t i) { return std::string_view(rows[i].text); }),
      integer_column(
          "number", "Number", unit,
          [&](std::size_t i) { return rows[i].kind % 3 == 2 ? Cell() : Cell(rows[i].number); }),
      real_column("real", "Real", unit, [&](std::size_t i) { return real_cell(rows[i]); }),
      flag_column("flag", "Flag", [&](std::size_t i) { return rows[i].kind % 2 == 1; })};
  return table;
}

// The value of a cell of a column of one kind; texts byte by byte.
bool is_before(const Cell& a, const Cell& b, SortDirection direction) {
  const bool a_missing = std::holds_alternative<std::monostate>(a);
  const bool b_missing = std::holds_alternative<std::monostate>(b);
  if (a_missing || b_missing) return !a_missing && b_missing;
  return direction == SortDirection::ascending ? a < b : b < a;
}

void compare_query(const Table& table, const TableQuery& query) {
  base::Progress progress;
  const auto answer = run_query(table, query, progress);
  require(answer.ok() == report::check_query(table, query).ok(), "a query is checked otherwise");
  if (!answer) return;
  std::vector<uint32_t> expected(table.row_count);
  for (uint32_t row = 0; row < expected.size(); ++row) expected[row] = row;
  for (const ColumnFilter& filter : query.filters) {
    const auto column = std::ranges::find(table.columns, filter.column, &report::Column::id);
    if (filter.text.empty()) continue;
    auto test = CellFilter::parse(*column, filter.text);
    std::erase_if(expected, [&](uint32_t row) { return !test->passes(column->cell(row)); });
  }
  for (auto key = query.sort.rbegin(); key != query.sort.rend(); ++key) {
    const auto column = std::ranges::find(table.columns, key->column, &report::Column::id);
    std::ranges::stable_sort(expected, [&](uint32_t a, uint32_t b) {
      return is_before(column->cell(a), column->cell(b), key->direction);
    });
  }
  if (query.search.empty()) require(*answer == expected, "a query gives other rows");
  require(std::ranges::includes(std::vector(expected), *answer,
                                [&](uint32_t a, uint32_t b) {
                                  return std::ranges::find(expected, a) <
                                         std::ranges::find(expected, b);
                                }),
          "a search gives other rows");
}

void check(Input input) {
  const std::size_t column = input.below(4);
  const Unit unit = kUnits[input.below(kUnits.size())];
  const std::string filter(input.text()), search(input.text());
  const std::size_t order = input.byte();
  check_filter(filter);
  check_column_filter(filter);
  check_sort(filter);
  std::vector<Row> rows;
  while (rows.size() < kMostRows && !input.is_empty()) {
    std::string text(input.text());
    const int64_t number = input.number();
    rows.push_back({std::move(text), number, input.byte()});
    check_numbers(filter, unit, number);
    check_pattern(search, rows.back().text);
  }
  const Table table = table_of(rows, unit);
  TableQuery query;
  query.search = search;
  query.filters = {{table.columns[column].id, filter}};
  const auto direction = [](std::size_t bit) {
    return bit == 0 ? SortDirection::ascending : SortDirection::descending;
  };
  query.sort = {{table.columns[order % 4].id, direction(order & 16U)},
                {table.columns[order / 4 % 4].id, direction(order & 32U)}};
  compare_query(table, query);
  query.search.clear();
  compare_query(table, query);
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  dlview::fuzz::use_one_thread();
  dlview::fuzz::check(dlview::fuzz::Input(data, size));
  return 0;
}
