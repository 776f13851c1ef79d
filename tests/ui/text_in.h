// What a cell of a table says.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/table.h"
#include "ui/table/table_data.h"

namespace dlview::testing {

inline std::string text_in(const ui::TableData& data, std::size_t row, std::string_view column) {
  return report::to_text(ui::cell_in(data.table, row, report::ColumnName(column)));
}

}  // namespace dlview::testing
