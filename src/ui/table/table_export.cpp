#include "ui/table/table_export.h"

#include <numeric>

namespace dlview::ui {

report::Table with_columns(const report::Table& table, const std::vector<std::size_t>& columns) {
  report::Table narrowed{table.name, table.title, table.layout, {}, table.row_count};
  for (const std::size_t column : columns) narrowed.columns.push_back(table.columns[column]);
  return narrowed;
}

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
  const report::ShownTable shown{table, what.all_rows ? all : what.rows->rows,
                                 data.profile->system.profile_name, what.selection};
  return report::export_to_file(shown, what.format, path, progress);
}

}  // namespace dlview::ui
