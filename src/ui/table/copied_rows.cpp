#include "ui/table/copied_rows.h"

#include <fmt/format.h>

#include "base/units.h"
#include "report/writers/delimited.h"
#include "ui/table/table_export.h"

namespace dlview::ui {
namespace {

// A regular expression for just this text.
std::string pattern_of(std::string_view text) {
  std::string pattern = "/^";
  for (const char c : text) {
    if (std::string_view(R"(\^$.|?*+()[]{}/)").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern + "$/";
}

}  // namespace

std::vector<std::size_t> shown_columns(const ColumnLayout& layout,
                                       const std::vector<std::size_t>& in_table) {
  std::vector<std::size_t> columns;
  for (const std::size_t column : layout.order()) {
    if (layout.is_shown(column)) columns.push_back(in_table[column]);
  }
  return columns;
}

void copy_rows(Host& host, const TableData& data, const std::vector<std::size_t>& columns,
               std::span<const uint32_t> rows) {
  const report::Table table = with_columns(data.table, columns);
  host.copy_text(report::tsv_text(
      {table, rows, data.profile->system.profile_name, data.aggregation->selection}));
  const auto count = static_cast<int64_t>(rows.size());
  host.notify(count == 1 ? "Copied 1 row"
                         : fmt::format("Copied {} rows", base::format_count(count)));
}

void copy_rows(TableDraw& draw) {
  const RowMarks& marks = draw.model.marks();
  const std::size_t count = marks.count();
  if (count > kMostCopied) {
    return draw.frame.host.notify(
        fmt::format("{} rows are too many for the clipboard: export them instead.",
                    base::format_count(static_cast<int64_t>(count))));
  }
  std::vector<uint32_t> rows;
  for (const auto& [first, last] : marks.runs()) {
    rows.insert(rows.end(), draw.shown.rows.begin() + static_cast<std::ptrdiff_t>(first),
                draw.shown.rows.begin() + static_cast<std::ptrdiff_t>(last + 1));
  }
  if (rows.empty()) return;
  copy_rows(draw.frame.host, *draw.shown.data, shown_columns(draw.layout, draw.in_table), rows);
}

std::string filter_for(const report::Column& column, const report::Cell& cell) {
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "1" : "0";
  const std::string text = report::to_text(cell, 6);
  return column.kind == report::CellKind::integer ? "=" + text : pattern_of(text);
}

}  // namespace dlview::ui
