#include "ui/table/table_data.h"

#include <algorithm>

namespace dlview::ui {

std::size_t find_column(const report::Table& table, std::string_view id) {
  const auto found = std::ranges::find(table.columns, id, &report::Column::id);
  return found == table.columns.end() ? kNoColumn
                                      : static_cast<std::size_t>(found - table.columns.begin());
}

}  // namespace dlview::ui
