#include "report/nsys/html.h"

#include <ostream>
#include <string>

#include <fmt/format.h>

#include "report/nsys/cells.h"
#include "report/writers/html.h"
#include "report/writers/shown_table.h"

namespace dlview::report::nsys {
namespace {

std::string_view class_of(const Column& column) {
  return is_number(column) ? " class=\"n\"" : "";
}

void write_table_element(const Table& table, std::ostream& out) {
  std::string line = "<table>\n<thead><tr>", text;
  for (const Column& column : table.columns) {
    line += fmt::format("<th{}>{}</th>", class_of(column), escape_html(header_of(column)));
  }
  out << line << "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < table.row_count && out; ++row) {
    line = "<tr>";
    for (const Column& column : table.columns) {
      text.clear();
      append_cell(text, column.cell(row), column.unit);
      line += fmt::format("<td{}>{}</td>", class_of(column), escape_html(text));
    }
    out << line << "</tr>\n";
  }
  out << "</tbody>\n</table>\n";
}

}  // namespace

void write_html(const Table& table, HtmlPart part, std::ostream& out) {
  if (part == HtmlPart::table) return write_table_element(table, out);
  const std::string title = escape_html(table.title);
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      << fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n", title,
                     kHtmlStyle, title);
  write_table_element(table, out);
  out << "</body>\n</html>\n";
}

}  // namespace dlview::report::nsys
