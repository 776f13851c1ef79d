// What leaves a table by the clipboard or a file: the columns that the user did not hide, in their
// order on screen, every digit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "report/writers/export.h"
#include "ui/table/row_order.h"
#include "ui/table/table_draw.h"
#include "ui/widgets/menu.h"

namespace dlview::ui {

// What the program is asked to write into a file.
struct TableExport {
  std::string name;                       // of the table: "ops"; begins the file's name
  std::string title;                      // "Ops"; in the file's header
  std::shared_ptr<const ShownRows> rows;  // with all they refer to
  bool all_rows = false;                  // of the table in its own order, not those shown
  std::vector<std::size_t> columns;       // of the table
  report::ExportFormat format = report::ExportFormat::csv;
  aggregate::Selection selection;  // what the rows tell of; in the file's header
};

// May run on any thread.
base::Status write_export(const TableExport& what, const std::filesystem::path& path,
                          base::Progress& progress);

// By column of the table, from left to right; with those that are hidden because all their cells
// are equal, so that what leaves has the same columns for other rows.
std::vector<std::size_t> shown_columns(const ColumnLayout& layout,
                                       const std::vector<std::size_t>& in_table);

// Puts rows onto the clipboard, with a header line, cells apart by tabs.
void copy_rows(Host& host, const TableData& data, const std::vector<std::size_t>& columns,
               std::span<const uint32_t> rows);
// Those that are marked. More than kMostCopied are left alone, and a notice says so.
inline constexpr std::size_t kMostCopied = 100'000;
void copy_rows(TableDraw& draw);

// The text of a filter that passes cells with just this value.
std::string filter_for(const report::Column& column, const report::Cell& cell);

// The entries of a menu that write a table into a file.
// One for each format that is written to files; `prefix` begins their ids.
std::vector<MenuItem> save_items(const std::string& prefix,
                                 const std::function<void(report::ExportFormat)>& save);

}  // namespace dlview::ui
