#include "report/nsys/column_text.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/nsys/cells.h"
#include "report/writers/shown_table.h"
#include "report/writers/text.h"

namespace dlview::report::nsys {
namespace {

constexpr std::size_t kGroup = 3;  // digits

// Of a process, a range, a correlation.
bool is_id(const Column& column, const Cell& cell) {
  return column.unit == aggregate::Unit::none && std::holds_alternative<int64_t>(cell);
}

// "1234567.8" -> "1,234,567.8"; a text that is no number stays.
std::string grouped(std::string text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t end = std::min(text.find('.'), text.size());
  for (std::size_t at = end; at > first + kGroup; at -= kGroup) text.insert(at - kGroup, 1, ',');
  return text;
}

// Code points, which is what a terminal gives one place each.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string centered(const std::string& text, std::size_t width) {
  const std::size_t room = width - width_of(text);
  const std::size_t left = room / 2 + (room & width & 1);
  return std::string(left, ' ') + text + std::string(room - left, ' ');
}

std::string shown_cell(const Table& table, std::size_t row, std::size_t column) {
  const Column& of_table = table.columns[column];
  const Cell cell = table.cell(row, column);
  std::string text;
  append_cell(text, cell, of_table.unit);
  if (!is_number(of_table)) return printable(text);
  return is_id(of_table, cell) ? text : grouped(std::move(text));
}

}  // namespace

void write_columns(const Table& table, std::ostream& out) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = width_of(header_of(table.columns[c]));
    for (std::size_t row = 0; row < table.row_count; ++row) {
      width = std::max(width, width_of(shown_cell(table, row, c)));
    }
    widths.push_back(width);
  }
  std::string header, dashes;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    const char* const gap = c == 0 ? " " : "  ";
    header += gap + centered(header_of(table.columns[c]), widths[c]);
    dashes += gap + std::string(widths[c], '-');
  }
  out << fmt::format(" ** {} ({}):\n\n{}\n{}\n", table.title, table.name, header, dashes);
  for (std::size_t row = 0; row < table.row_count && out; ++row) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::string text = shown_cell(table, row, c);
      const std::string room(widths[c] - width_of(text), ' ');
      line += c == 0 ? " " : "  ";
      line += is_number(table.columns[c]) ? room + text : text + room;
    }
    out << line << '\n';
  }
  out << '\n';
}

}  // namespace dlview::report::nsys
