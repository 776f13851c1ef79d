#include "report/writers/shown_table.h"

#include <fmt/format.h>

namespace dlview::report {

std::string selection_text(const ShownTable& shown) {
  const aggregate::IterationRange& range = shown.selection.range;
  std::string text = fmt::format("Iterations {}:{}", range.first, range.last);
  for (const aggregate::Filter& filter : shown.selection.filters) {
    text += fmt::format(", only {}", aggregate::to_text(filter));
  }
  return text;
}

std::string rows_text(const ShownTable& shown) {
  return fmt::format("{} of {} rows", shown.rows.size(), shown.table.row_count);
}

}  // namespace dlview::report
