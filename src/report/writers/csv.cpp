#include "report/writers/csv.h"

#include <ostream>
#include <string>

#include "report/writers/delimited.h"
#include "report/writers/shown_table.h"

namespace dlview::report {
namespace {

// `scratch` is for the cell's text, so that a long table does not allocate for each cell.
void append_cell(std::string& line, const Column& column, std::size_t row, std::string& scratch) {
  Cell cell = column.cell(row);
  if (std::holds_alternative<std::monostate>(cell)) {
    if (std::holds_alternative<std::monostate>(column.csv_for_missing)) return;
    cell = column.csv_for_missing;
  }
  scratch.clear();
  append_text(scratch, cell);
  if (column.kind == CellKind::text) {
    append_quoted(line, scratch);
  } else {
    append_csv_field(line, scratch);
  }
}

void write_rows(const Table& table, std::ostream& out) {
  std::string scratch, line = table.title;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    line += c == 0 ? '\n' : ',';
    append_csv_field(line, header_text(table.columns[c]));
  }
  out << line << '\n';
  for (std::size_t row = 0; row < table.row_count && out; ++row) {
    line.clear();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) line += ',';
      append_cell(line, table.columns[c], row, scratch);
    }
    out << line << '\n';
  }
}

void write_section(const Table& table, const Section& section, std::ostream& out) {
  std::string scratch, text = section.name + '\n';
  if (section.has_header()) {
    for (std::size_t i = 1; i < section.columns.size(); ++i) {
      text += ',' + header_text(table.columns[section.columns[i]]);
    }
    text += '\n';
  }
  for (std::size_t row = section.first_row; row < section.last_row; ++row) {
    for (std::size_t i = 0; i < section.columns.size(); ++i) {
      if (i > 0) text += ',';
      append_cell(text, table.columns[section.columns[i]], row, scratch);
    }
    text += '\n';
  }
  out << text;
}

}  // namespace

void write_csv(const Table& table, std::ostream& out) {
  if (table.layout == Layout::rows) return write_rows(table, out);
  bool first = true;
  for (const Section& section : sections(table)) {
    if (!first) out << '\n';
    first = false;
    write_section(table, section, out);
  }
}

}  // namespace dlview::report
