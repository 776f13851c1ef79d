#include "report/writers/shown_table.h"

#include <iterator>
#include <sstream>

#include <fmt/format.h>

namespace dlview::report {

std::string selection_text(const ShownTable& shown) {
  const aggregate::IterationRange& range = shown.selection.range;
  std::string text = fmt::format("Iterations {}:{}", range.first, range.last);
  const aggregate::Cut& cut = shown.selection.cut;
  if (cut.kind != aggregate::CutKind::stored && !cut.key_op.empty()) {
    text += cut.split_by == aggregate::SplitBy::gpu ? ", split by GPU" : ", split by host";
  }
  for (const aggregate::Filter& filter : shown.selection.filters) {
    text += fmt::format(", only {}", aggregate::to_text(filter));
  }
  if (shown.table.tensor_core_rules != 0) {
    text += fmt::format(", Tensor Core rules {}", shown.table.tensor_core_rules);
  }
  return text;
}

std::string rows_text(const ShownTable& shown) {
  return fmt::format("{} of {} rows", shown.rows.size(), shown.table.row_count);
}

std::vector<std::string> header_words(const Column& column) {
  std::istringstream text(header_text(column));
  return {std::istream_iterator<std::string>(text), {}};
}

}  // namespace dlview::report
