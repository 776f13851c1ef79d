#include "report/writers/markdown.h"

#include <ostream>
#include <string>
#include <string_view>
#include <variant>

#include "report/writers/shown_table.h"
#include "report/writers/text.h"

namespace dlview::report {
namespace {

std::string escaped_for_markdown(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      if (std::string_view("\\|`*_[]#~").find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  return escaped_for_markdown(printable(text));
}

void write_markdown(const Table& table, std::ostream& out) {
  out << '|';
  for (const Column& column : table.columns) out << ' ' << column.title << " |";
  out << "\n|";
  for (const Column& column : table.columns) out << (is_number(column) ? " ---: |" : " --- |");
  out << '\n';
  for (std::size_t row = 0; row < table.row_count; ++row) {
    out << '|';
    for (const Column& column : table.columns) {
      const Cell cell = column.cell(row);
      out << ' ';
      if (!std::holds_alternative<std::monostate>(cell)) {
        out << markdown_text(readable_text(cell, column.unit, column.id)) << ' ';
      }
      out << '|';
    }
    out << '\n';
  }
}

}  // namespace dlview::report
