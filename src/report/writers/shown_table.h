// The shown part of a table, for a file or the clipboard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/selection.h"
#include "report/table.h"

namespace dlview::report {

// The rows of a query's answer, in its order, and what a heading says of them. Refers to all it is
// made of.
struct ShownTable {
  const Table& table;
  std::span<const uint32_t> rows;
  std::string_view profile_name;
  const aggregate::Selection& selection;
};

// "Iterations 50:100, only op_type=conv2d, Tensor Core rules 2", "12 of 340 rows".
std::string selection_text(const ShownTable& shown);
std::string rows_text(const ShownTable& shown);

// The words of a column's title and unit, between which it may be broken.
std::vector<std::string> header_words(const Column& column);

// Returns whether cells are numbers, which are right-aligned.
inline bool is_number(const Column& column) {
  return column.kind == CellKind::integer || column.kind == CellKind::real;
}

// The sections of a table with Layout::sections, as the writers of text print them.

// Rows [first_row, last_row) and the columns from the second on in which at least one of them has a
// value. A section of names with one value each has two columns and needs no header.
struct Section {
  std::string name;
  std::size_t first_row = 0, last_row = 0;
  std::vector<std::size_t> columns;
  bool has_header() const { return columns.size() > 2; }
};

std::vector<Section> sections(const Table& table);

}  // namespace dlview::report
