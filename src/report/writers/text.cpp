#include "report/writers/text.h"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"

namespace dlview::report {
namespace {

constexpr std::size_t kColumnGap = 2;

bool right_aligned(const Column& column) {
  return column.kind == CellKind::integer || column.kind == CellKind::real;
}

bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
}

std::string shown(const Cell& cell, std::string_view missing) {
  if (std::holds_alternative<std::monostate>(cell)) return std::string(missing);
  const std::string text = to_text(cell);
  return printable(std::string_view(text).substr(0, text.find('\n')));
}

// Code points, which is what a terminal gives one place each.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::vector<std::size_t> column_widths(const Table& table, std::string_view missing) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = width_of(header_text(table.columns[c]));
    for (std::size_t row = 0; row < table.row_count; ++row) {
      width = std::max(width, width_of(shown(table.cell(row, c), missing)));
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

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && !is_control(sequence)) {
      result += sequence;
    } else {
      for (const char c : sequence) {
        fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(sequence.size());
  }
  return result;
}

void write_text(const Table& table, std::ostream& out, std::string_view missing) {
  const std::vector<std::size_t> widths = column_widths(table, missing);
  std::string header, rule;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::size_t gap = c == 0 ? 0 : kColumnGap;
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
      if (c > 0) line.append(kColumnGap, ' ');
      append_aligned(line, shown(table.cell(row, c), missing), widths[c],
                     right_aligned(table.columns[c]));
    }
    write_line(line, out);
  }
}

}  // namespace dlview::report
