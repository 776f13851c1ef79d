#include "report/writers/html.h"

#include <ostream>
#include <string>

#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/writers/text.h"
#include "report/writers/utf8.h"

namespace dlview::report {

const std::string_view kHtmlStyle = R"css(
:root { color-scheme: light dark; --line: #d5d9e0; --head: #f2f4f7; --soft: #6b7280; }
@media (prefers-color-scheme: dark) { :root { --line: #39404a; --head: #22272e; --soft: #9aa4b2; } }
body { font: 14px/1.45 Inter, system-ui, sans-serif; margin: 24px; }
h1 { font-size: 20px; margin: 0; }
p { color: var(--soft); margin: 4px 0 16px; }
table { border-collapse: separate; border-spacing: 0; }
th { position: sticky; top: 0; background: var(--head); text-align: left; font-weight: 600; }
th, td { padding: 4px 10px; border-bottom: 1px solid var(--line); vertical-align: top; }
td { max-width: 48em; overflow-wrap: anywhere; white-space: pre-line; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.f { text-align: center; }
.m { color: var(--soft); font-style: italic; white-space: nowrap; }
@media print { th { position: static; } body { margin: 0; } }
)css";

std::string escape_html(std::string_view text) {
  std::string clean;
  append_clean_text(clean, text);
  return escape_markup(clean);
}

std::string escape_markup(std::string_view clean) {
  std::string result;
  for (const char c : clean) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

namespace {

std::string_view style_class(const Column& column) {
  if (is_number(column)) return " class=\"n\"";
  return column.kind == CellKind::flag ? " class=\"f\"" : "";
}

void append_cell(std::string& line, const Column& column, const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) {
    line += fmt::format("<td class=\"m\">{}</td>", kNotRecorded);
    return;
  }
  std::string text;
  if (const bool* flag = std::get_if<bool>(&cell)) {
    text = *flag ? "✓" : "✗";
  } else {
    append_full_text(text, cell);
  }
  line += fmt::format("<td{}>{}</td>", style_class(column), escape_html(text));
}

void write_head(const ShownTable& shown, std::ostream& out) {
  const std::string title = escape_html(shown.table.title), name = escape_html(shown.profile_name);
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      << fmt::format("<title>{} · {}</title>\n<style>{}</style>\n</head>\n<body>\n", title, name,
                     kHtmlStyle)
      << fmt::format("<h1>{}</h1>\n<p>{} · {} · {}</p>\n", title, name,
                     escape_html(selection_text(shown)), rows_text(shown));
}

}  // namespace

void write_html(const ShownTable& shown, std::ostream& out, base::Progress& progress) {
  write_head(shown, out);
  std::string line = "<table>\n<thead><tr>";
  for (const Column& column : shown.table.columns) {
    line += fmt::format("<th{}>{}</th>", style_class(column), escape_html(header_text(column)));
  }
  out << line << "</tr></thead>\n<tbody>\n";
  for (const uint32_t row : shown.rows) {
    if (!out || progress.canceled()) break;
    line = "<tr>";
    for (const Column& column : shown.table.columns) append_cell(line, column, column.cell(row));
    out << line << "</tr>\n";
    progress.add_done(1);
  }
  out << "</tbody>\n</table>\n</body>\n</html>\n";
}

}  // namespace dlview::report
