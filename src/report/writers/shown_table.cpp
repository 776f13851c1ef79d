#include "report/writers/shown_table.h"

#include <fmt/format.h>

namespace dlview::report {

std::string iterations_text(const ShownTable& shown) {
  return fmt::format("Iterations {}:{}", shown.iterations.first, shown.iterations.last);
}

std::string rows_text(const ShownTable& shown) {
  return fmt::format("{} of {} rows", shown.rows.size(), shown.table.row_count);
}

}  // namespace dlview::report
