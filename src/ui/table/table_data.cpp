#include "ui/table/table_data.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "report/writers/shown_table.h"

namespace dlview::ui {
namespace {

using aggregate::Unit;
using report::Cell;
using report::Column;

constexpr const char* kNotRecorded = "–";
// From here on a mean is told in whole units: with every digit, or with few.
constexpr double kLeastWhole = 1e6, kLeastWholeOfFew = 1000;

// In seconds.
std::string instant_text(int64_t ns) {
  const int64_t us = ns / 1000;
  return fmt::format("{}.{:03}{}{:03}{}s", base::format_count(us / 1'000'000), us / 1000 % 1000,
                     base::kThinSpace, us % 1000, base::kThinSpace);
}

std::string integer_text(const Column& column, int64_t value, Digits digits) {
  const bool all = digits == Digits::all;
  switch (column.unit) {
    case Unit::ns:
      if (digits == Digits::instant && value > 0) return instant_text(value);
      return all ? base::format_count(value) : base::format_duration(value);
    case Unit::bytes:
      return all ? base::format_count(value) : base::format_bytes(value);
    case Unit::bytes_per_second:
      return all ? base::format_count(value) : base::format_byte_rate(static_cast<double>(value));
    case Unit::flop:
      return all ? base::format_count(value) : base::format_flop(static_cast<double>(value));
    case Unit::percent:
    case Unit::count:
      return base::format_count(value);
    case Unit::none:  // an identifier
      return std::to_string(value);
  }
  return {};
}

std::string real_text(const Column& column, double value, Digits digits) {
  if (digits == Digits::all) {
    return std::abs(value) >= kLeastWhole ? base::format_count(std::llround(value))
                                          : fmt::format("{:.6g}", value);
  }
  switch (column.unit) {
    case Unit::ns:
      return base::format_duration(value);
    case Unit::percent:
      return base::format_percent(value);
    case Unit::bytes:
      return base::format_bytes(std::llround(value));
    case Unit::bytes_per_second:
      return base::format_byte_rate(value);
    case Unit::flop:
      return base::format_flop(value);
    default:
      return std::abs(value) >= kLeastWholeOfFew ? base::format_count(std::llround(value))
                                                 : fmt::format("{:.3g}", value);
  }
}

}  // namespace

ColumnLook column_look(report::ColumnId id) {
  const report::ColumnSpec& declared = id.spec();
  ColumnLook look;
  look.id = declared.id();
  look.title = declared.screen_title();
  look.metric = declared.screen.metric;
  look.width = declared.screen.width;
  look.share = declared.screen.share;
  return look;
}

const std::string& why_none(const TableLook& look, const TableData& data) {
  if (!data.when_none.empty()) return data.when_none;
  const bool filtered = data.aggregation && !data.aggregation->selection.filters.empty();
  return filtered && !look.when_filtered.empty() ? look.when_filtered : look.when_none;
}

std::size_t find_column(const report::Table& table, report::ColumnName name) {
  const auto found = std::ranges::find(table.columns, name.text(), &report::Column::id);
  return found == table.columns.end() ? kNoColumn
                                      : static_cast<std::size_t>(found - table.columns.begin());
}

report::Cell cell_in(const report::Table& table, std::size_t row, report::ColumnName name) {
  const std::size_t at = find_column(table, name);
  return at == kNoColumn ? report::Cell() : table.cell(row, at);
}

std::string text_of_cell(const report::Table& table, std::size_t row, report::ColumnName name) {
  return report::to_text(cell_in(table, row, name));
}

std::function<report::Cell(std::size_t)> cells_of(const report::Table& table,
                                                  report::ColumnName name) {
  const std::size_t at = find_column(table, name);
  if (at == kNoColumn) return [](std::size_t) { return report::Cell(); };
  return table.columns[at].cell;
}

std::string cell_text(const Column& column, const Cell& cell, Digits digits) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) {
    return integer_text(column, *integer, digits);
  }
  if (const auto* real = std::get_if<double>(&cell)) return real_text(column, *real, digits);
  if (std::holds_alternative<std::monostate>(cell)) return kNotRecorded;
  return report::to_text(cell);
}

std::string full_cell_text(const Column& column, const Cell& cell) {
  std::string text = cell_text(column, cell, Digits::all);
  const std::string_view unit = report::unit_text(column.unit);
  if (!report::is_number(column) || unit.empty() || std::holds_alternative<std::monostate>(cell)) {
    return text;
  }
  return fmt::format("{}{}{}", text, unit == "%" ? "" : base::kThinSpace, unit);
}

double number_of(const Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return 0;
}

}  // namespace dlview::ui
