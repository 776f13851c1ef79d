#include "report/writers/text.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace dlview::report {
namespace {

constexpr std::size_t kGap = 2;

bool right_aligned(const Column& column) {
  return column.kind == CellKind::integer || column.kind == CellKind::real;
}

std::string first_line(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

// Code points, which is what a terminal gives one place each.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::vector<std::size_t> column_widths(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = width_of(header_text(table.columns[c]));
    for (std::size_t row = 0; row < table.row_count; ++row) {
      width = std::max(width, width_of(first_line(to_text(table.cell(row, c)))));
    }
    widths.push_back(width);
  }
  return widths;
}

void append_aligned(std::string& line, const std::string& text, std::size_t width, bool right) {
  const std::string padding(width - width_of(text), ' ');
  line += right ? padding + text : text + padding;
}

void write_line(std::string line, std::ostream& out) {
  line.resize(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

}  // namespace

void write_text(const Table& table, std::ostream& out) {
  const std::vector<std::size_t> widths = column_widths(table);
  std::string header, rule;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::size_t gap = c == 0 ? 0 : kGap;
    header.append(gap, ' ');
    rule.append(gap, ' ');
    const Column& column = table.columns[c];
    append_aligned(header, header_text(column), widths[c], right_aligned(column));
    rule.append(widths[c], '-');
  }
  write_line(header, out);
  write_line(rule, out);
  for (std::size_t row = 0; row < table.row_count && out; ++row) {
    std::string line;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) line.append(kGap, ' ');
      append_aligned(line, first_line(to_text(table.cell(row, c))), widths[c],
                     right_aligned(table.columns[c]));
    }
    write_line(line, out);
  }
}

}  // namespace dlview::report
