#include "report/nsys/csv.h"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>

#include "report/nsys/cells.h"
#include "report/writers/delimited.h"

namespace dlview::report::nsys {
namespace {

// `append(line, text)` puts a field into the line.
template <typename Append>
void write_rows(const Table& table, char separator, const Append& append, std::ostream& out) {
  std::string line, field;
  for (const Column& column : table.columns) {
    if (&column != &table.columns.front()) line += separator;
    append(line, header_of(column));
  }
  out << line << '\n';
  for (std::size_t row = 0; row < table.row_count && out; ++row) {
    line.clear();
    for (const Column& column : table.columns) {
      if (&column != &table.columns.front()) line += separator;
      field.clear();
      append_cell(field, column.cell(row), column.unit);
      append(line, field);
    }
    out << line << '\n';
  }
  out << '\n';
}

// A field has no quotes that could hold a tab or the end of a line.
void append_tsv_field(std::string& line, std::string_view text) {
  std::ranges::transform(text, std::back_inserter(line),
                         [](char c) { return c == '\t' || c == '\n' || c == '\r' ? ' ' : c; });
}

}  // namespace

void write_csv(const Table& table, std::ostream& out) {
  write_rows(table, ',', append_csv_field, out);
}

void write_tsv(const Table& table, std::ostream& out) {
  write_rows(table, '\t', append_tsv_field, out);
}

}  // namespace dlview::report::nsys
