// Table: a table as data. Each one is declared once and read by the screen, CSV, JSON, the terminal
// and tests. A table stores no cells: a cell is computed when it is read, so ten million rows cost
// no more than the columns of the profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "aggregate/metrics.h"

namespace dlview::report {

// monostate = not recorded. A string_view points into the profile or a literal; a string is a text
// put together for this call.
using Cell = std::variant<std::monostate, int64_t, double, bool, std::string_view, std::string>;

enum class CellKind : uint8_t {
  text,     // free text: names, stack traces
  word,     // one of few short words: "fprop", "float32"
  integer,  // times in ns, counts, ids
  real,     // averages, percentages 0..100
  flag,     // yes or no
  any,      // differs from row to row (the summary's values)
};
enum class SortDirection : uint8_t { ascending, descending };

struct Column {
  std::string id;     // "cpu_time_sum"
  std::string title;  // "Total CPU Time"; the unit is not part of it
  aggregate::Unit unit = aggregate::Unit::none;
  CellKind kind = CellKind::text;
  SortDirection first_sort = SortDirection::ascending;  // of the first click on the header
  std::function<Cell(std::size_t row)> cell;  // row < Table::row_count; may run on any thread
  Cell csv_for_missing = {};  // a DLProf database has a zero for unknown values; see not_recorded.h
};

// Rows: a title line, a header, the rows. Sections: the first column names the section of a row and
// the second the row itself; writers of text print each section under its name.
enum class Layout : uint8_t { rows, sections };

// Refers to the Profile and the Aggregation it was made from, which must outlive it.
struct Table {
  std::string name;   // "op_type"
  std::string title;  // "Op Type Summary Report"
  Layout layout = Layout::rows;
  std::vector<Column> columns;
  std::size_t row_count = 0;
  int tensor_core_rules = 0;  // version of the rules of its flags; 0 = flags of the file

  Cell cell(std::size_t row, std::size_t column) const { return columns[column].cell(row); }
};

// Columns with the sorting that suits their kind.
Column text_column(std::string id, std::string title, std::function<Cell(std::size_t)> cell);
Column word_column(std::string id, std::string title, std::function<Cell(std::size_t)> cell);
Column integer_column(std::string id, std::string title, aggregate::Unit unit,
                      std::function<Cell(std::size_t)> cell);
Column real_column(std::string id, std::string title, aggregate::Unit unit,
                   std::function<Cell(std::size_t)> cell);
Column flag_column(std::string id, std::string title, std::function<Cell(std::size_t)> cell);

// "ns", "%", "bytes", "bytes/s" or "".
std::string_view unit_text(aggregate::Unit unit);
// The title with its unit: "Total CPU Time (ns)".
std::string header_text(const Column& column);
// Integers in full, reals with `decimals`, flags as yes and no, not recorded as "".
std::string to_text(const Cell& cell, int decimals = 1);
// Appends the text to `text`.
void append_text(std::string& text, const Cell& cell, int decimals = 1);

}  // namespace dlview::report
