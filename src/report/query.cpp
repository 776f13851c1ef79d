#include "report/query.h"

#include <fmt/format.h>

#include "report/names.h"
#include "report/query/conditions.h"
#include "report/query/sort_rows.h"

namespace dlview::report {
namespace {

constexpr std::string_view kDescending = "desc";
constexpr std::string_view kAscending = "asc";

base::Result<const Column*> find_column(const Table& table, std::string_view id) {
  std::vector<std::string_view> ids;
  for (const Column& column : table.columns) {
    if (column.id == id) return &column;
    ids.push_back(column.id);
  }
  return unknown_name("column", id, ids);
}

struct Sorting {
  const Column* column;
  SortDirection direction;
};

// A query whose columns are found and whose texts are read.
struct ResolvedQuery {
  Conditions filter;
  std::vector<Sorting> sort;
};

base::Result<ResolvedQuery> resolve(const Table& table, const TableQuery& query) {
  ResolvedQuery resolved;
  for (const ColumnFilter& filter : query.filters) {
    const auto column = find_column(table, filter.column);
    if (!column) return column.error();
    if (filter.text.empty()) continue;
    const auto parsed = CellFilter::parse(**column, filter.text);
    if (!parsed) return parsed.error();
    resolved.filter.columns.emplace_back(*column, *parsed);
  }
  if (!query.search.empty()) {
    const auto search = Search::parse(query.search);
    if (!search) return search.error();
    resolved.filter.search = *search;
  }
  for (const SortKey& key : query.sort) {
    const auto column = find_column(table, key.column);
    if (!column) return column.error();
    resolved.sort.push_back({*column, key.direction});
  }
  return resolved;
}

base::Error canceled() {
  return {"Canceled", "the rows were not filtered and sorted", "Start again"};
}

}  // namespace

base::Result<ColumnFilter> parse_column_filter(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return base::Error{fmt::format("Invalid filter: \"{}\"", text), "",
                       "Write COLUMN=TEXT, for example gpu_time=>1ms or op_node_name=conv"};
  }
  return ColumnFilter{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::string to_text(const ColumnFilter& filter) {
  return fmt::format("{}={}", filter.column, filter.text);
}

base::Result<std::vector<SortKey>> parse_sort(std::string_view text) {
  std::vector<SortKey> sort;
  if (text.empty()) return sort;
  for (const std::string_view key : split_names(text)) {
    const std::size_t colon = key.find(':');
    const std::string_view column = key.substr(0, colon);
    const std::string_view direction =
        colon == std::string_view::npos ? kAscending : key.substr(colon + 1);
    if (column.empty() || (direction != kAscending && direction != kDescending)) {
      return base::Error{fmt::format("Invalid sort key: \"{}\"", key), "",
                         "Write COLUMN:asc or COLUMN:desc, comma-separated"};
    }
    sort.push_back({std::string(column), direction == kDescending ? SortDirection::descending
                                                                  : SortDirection::ascending});
  }
  return sort;
}

std::string to_text(const std::vector<SortKey>& sort) {
  std::string text;
  for (const SortKey& key : sort) {
    const bool descends = key.direction == SortDirection::descending;
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", key.column,
                        descends ? kDescending : kAscending);
  }
  return text;
}

base::Status check_query(const Table& table, const TableQuery& query) {
  const auto resolved = resolve(table, query);
  if (!resolved) return resolved.error();
  return base::Success{};
}

base::Result<std::vector<uint32_t>> run_query(const Table& table, const TableQuery& query,
                                              base::Progress& progress) {
  const auto resolved = resolve(table, query);
  if (!resolved) return resolved.error();
  progress.begin_stage("Filtering", static_cast<int64_t>(table.row_count));
  std::vector<uint32_t> rows = passing_rows(table, resolved->filter, progress);
  progress.begin_stage("Sorting", static_cast<int64_t>(rows.size() * resolved->sort.size()));
  for (auto key = resolved->sort.rbegin(); key != resolved->sort.rend(); ++key) {
    if (progress.canceled()) break;
    sort_rows(*key->column, key->direction, rows, progress);
  }
  if (progress.canceled()) return canceled();
  return rows;
}

}  // namespace dlview::report
