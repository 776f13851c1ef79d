// TableExport: what the program is asked to write into a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/writers/export.h"
#include "ui/table/row_order.h"

namespace dlview::ui {

struct TableExport {
  std::string name;                       // of the table: "ops"; begins the file's name
  std::string title;                      // "Ops"; in the file's header
  std::shared_ptr<const ShownRows> rows;  // with all they refer to
  bool all_rows = false;                  // of the table in its own order, not those shown
  std::vector<std::size_t> columns;       // of the table
  report::ExportFormat format = report::ExportFormat::csv;
  aggregate::Selection selection;  // what the rows tell of; in the file's header
};

// The table with these of its columns, which refer to what it refers to.
report::Table with_columns(const report::Table& table, const std::vector<std::size_t>& columns);

// May run on any thread.
base::Status write_export(const TableExport& what, const std::filesystem::path& path,
                          base::Progress& progress);

}  // namespace dlview::ui
