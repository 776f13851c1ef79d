#include "ui/table/table_data.h"

#include <algorithm>

namespace dlview::ui {

const std::string& why_none(const TableLook& look, const TableData& data) {
  if (!data.when_none.empty()) return data.when_none;
  const bool filtered = data.aggregation && !data.aggregation->selection.filters.empty();
  return filtered && !look.when_filtered.empty() ? look.when_filtered : look.when_none;
}

std::size_t find_column(const report::Table& table, std::string_view id) {
  const auto found = std::ranges::find(table.columns, id, &report::Column::id);
  return found == table.columns.end() ? kNoColumn
                                      : static_cast<std::size_t>(found - table.columns.begin());
}

report::Cell cell_in(const report::Table& table, std::size_t row, std::string_view column) {
  const std::size_t at = find_column(table, column);
  return at == kNoColumn ? report::Cell() : table.cell(row, at);
}

std::function<report::Cell(std::size_t)> cells_of(const report::Table& table,
                                                  std::string_view column) {
  const std::size_t at = find_column(table, column);
  if (at == kNoColumn) return [](std::size_t) { return report::Cell(); };
  return table.columns[at].cell;
}

}  // namespace dlview::ui
