// TableQuery: filters, search and sorting of a Table, and the resulting rows. Pure; runs on any
// thread.
//
//   filter    conditions on columns; a row has to meet all of them
//   search    a text that any cell of the row contains
//   sort      the first key decides, the next ones break its ties; rows that are equal in all keys
//             keep the table's order, and cells that were not recorded come last in either
//             direction
//
// On a command line and in a state string they are written as COLUMN=TEXT and
// COLUMN:asc,COLUMN:desc, columns by their ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "report/table.h"

namespace dlview::report {

struct ColumnFilter {
  std::string column;
  std::string text;  // see report/query/cell_filter.h
  bool operator==(const ColumnFilter&) const = default;
};

struct SortKey {
  std::string column;
  SortDirection direction = SortDirection::ascending;
  bool operator==(const SortKey&) const = default;
};

struct TableQuery {
  std::string search;
  std::vector<ColumnFilter> filters;
  std::vector<SortKey> sort;
  bool operator==(const TableQuery&) const = default;
};

// "gpu_time=>1ms": the column's id ends at the first '='.
base::Result<ColumnFilter> parse_column_filter(std::string_view text);
std::string to_text(const ColumnFilter& filter);

// "gpu_time:desc,op_name"; without a direction a key ascends. An empty text is no key at all.
base::Result<std::vector<SortKey>> parse_sort(std::string_view text);
std::string to_text(const std::vector<SortKey>& sort);

// Whether the table has the columns and the texts mean something for them; else the first fault.
base::Status check_query(const Table& table, const TableQuery& query);

// Returns the matching rows, sorted. Fails as check_query() does, and as "Canceled" once
// `progress` is canceled. Uses all cores; 10 million rows take about a second for each sort key.
base::Result<std::vector<uint32_t>> run_query(const Table& table, const TableQuery& query,
                                              base::Progress& progress);

}  // namespace dlview::report
