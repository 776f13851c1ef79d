#include "ui/table/table_export.h"

#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "report/writers/delimited.h"

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

// The table with these of its columns, which refer to what it refers to.
report::Table with_columns(const report::Table& table, const std::vector<std::size_t>& columns) {
  report::Table narrowed{table.name, table.title, table.layout, {}, table.row_count};
  for (const std::size_t column : columns) narrowed.columns.push_back(table.columns[column]);
  return narrowed;
}

std::string_view profile_name(const TableData& data) {
  return data.profile ? std::string_view(data.profile->system.profile_name) : std::string_view();
}

}  // namespace

base::Status write_export(const TableExport& what, const std::filesystem::path& path,
                          base::Progress& progress) {
  const TableData& data = *what.rows->data;
  report::Table table = with_columns(data.table, what.columns);
  table.title = what.title;
  std::vector<uint32_t> all;
  if (what.all_rows) {
    all.resize(table.row_count);
    std::iota(all.begin(), all.end(), 0u);
  }
  const report::ShownTable shown{table, what.all_rows ? all : what.rows->rows, profile_name(data),
                                 what.selection};
  return report::export_to_file(shown, what.format, path, progress);
}

std::vector<std::size_t> shown_columns(const ColumnLayout& layout,
                                       const std::vector<std::size_t>& in_table) {
  std::vector<std::size_t> columns;
  for (const std::size_t column : layout.order()) {
    if (layout.is_exported(column)) columns.push_back(in_table[column]);
  }
  return columns;
}

void copy_rows(Host& host, const TableData& data, const std::vector<std::size_t>& columns,
               std::span<const uint32_t> rows) {
  const report::Table table = with_columns(data.table, columns);
  const aggregate::Selection selection =
      data.aggregation ? data.aggregation->selection : aggregate::Selection();
  host.copy_text(report::tsv_text({table, rows, profile_name(data), selection}));
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

std::vector<MenuItem> save_items(const std::string& prefix,
                                 const std::function<void(report::ExportFormat)>& save) {
  std::vector<MenuItem> items;
  for (const report::ExportFormatInfo& entry : report::kExportFormats) {
    if (entry.format == report::ExportFormat::tsv) continue;  // the clipboard's
    MenuItem item{prefix + std::string(entry.name), fmt::format("Save as {}", entry.title)};
    item.run = [save, format = entry.format] { save(format); };
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace dlview::ui
