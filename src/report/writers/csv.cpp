#include "report/writers/csv.h"

#include <ostream>
#include <string>

#include "report/writers/sections.h"

namespace dlview::report {
namespace {

void append_quoted(std::string& line, std::string_view text) {
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

void append_cell(std::string& line, const Cell& cell, CellKind kind) {
  const std::size_t begin = line.size();
  append_text(line, cell);
  const std::string_view text = std::string_view(line).substr(begin);
  const bool quoted = kind == CellKind::text || text.find_first_of(",\"\r\n") != text.npos;
  if (!quoted || std::holds_alternative<std::monostate>(cell)) return;
  const std::string plain(text);
  line.resize(begin);
  append_quoted(line, plain);
}

void write_rows(const Table& table, std::ostream& out) {
  std::string line = table.title;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    line += c == 0 ? '\n' : ',';
    append_cell(line, header_text(table.columns[c]), CellKind::word);
  }
  out << line << '\n';
  for (std::size_t row = 0; row < table.row_count && out; ++row) {
    line.clear();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) line += ',';
      append_cell(line, table.cell(row, c), table.columns[c].kind);
    }
    out << line << '\n';
  }
}

void write_section(const Table& table, const Section& section, std::ostream& out) {
  std::string text = section.name + '\n';
  if (section.has_header()) {
    for (std::size_t i = 1; i < section.columns.size(); ++i) {
      text += ',' + header_text(table.columns[section.columns[i]]);
    }
    text += '\n';
  }
  for (std::size_t row = section.first_row; row < section.last_row; ++row) {
    for (std::size_t i = 0; i < section.columns.size(); ++i) {
      if (i > 0) text += ',';
      append_cell(text, table.cell(row, section.columns[i]),
                  table.columns[section.columns[i]].kind);
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
