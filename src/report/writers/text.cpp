#include "report/writers/text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "base/units.h"
#include "base/utf8.h"
#include "report/cell_text.h"

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

using aggregate::Unit;

std::string text_of(int64_t number, Unit unit) {
  switch (unit) {
    case Unit::ns:
      return base::format_duration(number);
    case Unit::bytes:
      return base::format_bytes(number);
    case Unit::bytes_per_second:
      return base::format_byte_rate(static_cast<double>(number));
    case Unit::flop:
      return base::format_flop(static_cast<double>(number));
    case Unit::count:
      return base::format_count(number);
    case Unit::percent:
    case Unit::none:
      break;
  }
  return to_text(number);
}

std::string text_of(double number, Unit unit) {
  switch (unit) {
    case Unit::ns:
      return base::format_duration(number);
    case Unit::percent:
      return base::format_percent(number);
    case Unit::bytes:
      return base::format_bytes(std::llround(number));
    case Unit::bytes_per_second:
      return base::format_byte_rate(number);
    case Unit::flop:
      return base::format_flop(number);
    case Unit::count:
    case Unit::none:
      break;
  }
  return to_text(number);
}

int64_t magnitude(int64_t number) {
  constexpr auto kLowest = std::numeric_limits<int64_t>::min();
  return number == kLowest ? std::numeric_limits<int64_t>::max() : std::abs(number);
}
double magnitude(double number) {
  return std::abs(number);
}

template <typename Number>
std::string signed_text(Number number, Unit unit, bool is_difference) {
  const std::string text = text_of(magnitude(number), unit);
  const bool has_sign = number < 0 || is_difference;
  return has_sign ? base::with_sign(static_cast<double>(number), text) : text;
}

// A column whose cells have their unit needs none in its header.
std::string header_of(const Column& column, Numbers numbers) {
  return numbers == Numbers::readable ? column.title : header_text(column);
}

std::string shown(const Column& column, std::size_t row, Numbers numbers,
                  std::string_view missing) {
  const Cell cell = column.cell(row);
  if (std::holds_alternative<std::monostate>(cell)) return std::string(missing);
  const std::string text =
      numbers == Numbers::readable ? readable_text(cell, column.unit, column.id) : to_text(cell);
  return printable(std::string_view(text).substr(0, text.find('\n')));
}

// Code points, which is what a terminal gives one place each.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::vector<std::size_t> column_widths(const Table& table, Numbers numbers,
                                       std::string_view missing) {
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) {
    std::size_t width = width_of(header_of(column, numbers));
    for (std::size_t row = 0; row < table.row_count; ++row) {
      width = std::max(width, width_of(shown(column, row, numbers, missing)));
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

std::string without_thin_spaces(std::string text) {
  const std::string_view thin = base::kThinSpace;
  for (std::size_t at = text.find(thin); at != std::string::npos; at = text.find(thin, at)) {
    text.replace(at, thin.size(), " ");
  }
  return text;
}

std::string readable_text(const Cell& cell, Unit unit, std::string_view id) {
  // A probability, of which the small ones matter.
  if (const auto* q = std::get_if<double>(&cell); q != nullptr && is_probability(id)) {
    return *q < 0.001 ? "< 0.001" : fmt::format("{:.3f}", *q);
  }
  const bool is_difference = id.starts_with("difference");
  if (const auto* whole = std::get_if<int64_t>(&cell)) {
    return without_thin_spaces(signed_text(*whole, unit, is_difference));
  }
  if (const auto* real = std::get_if<double>(&cell)) {
    return without_thin_spaces(signed_text(*real, unit, is_difference));
  }
  return to_text(cell);
}

void write_text(const Table& table, Numbers numbers, std::ostream& out, std::string_view missing) {
  const std::vector<std::size_t> widths = column_widths(table, numbers, missing);
  std::string header, rule;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::size_t gap = c == 0 ? 0 : kColumnGap;
    header.append(gap, ' ');
    rule.append(gap, ' ');
    const Column& column = table.columns[c];
    append_aligned(header, header_of(column, numbers), widths[c], right_aligned(column));
    rule.append(widths[c], '-');
  }
  write_line(header, out);
  write_line(rule, out);
  for (std::size_t row = 0; row < table.row_count && out; ++row) {
    std::string line;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) line.append(kColumnGap, ' ');
      const Column& column = table.columns[c];
      append_aligned(line, shown(column, row, numbers, missing), widths[c], right_aligned(column));
    }
    write_line(line, out);
  }
}

}  // namespace dlview::report
