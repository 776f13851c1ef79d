#include "report/writers/shown_table.h"

#include <iterator>
#include <sstream>

#include <fmt/format.h>

namespace dlview::report {
namespace {

bool has_value(const Table& table, const Section& section, std::size_t column) {
  for (std::size_t row = section.first_row; row < section.last_row; ++row) {
    if (!std::holds_alternative<std::monostate>(table.cell(row, column))) return true;
  }
  return false;
}

}  // namespace

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

std::vector<Section> sections(const Table& table) {
  std::vector<Section> found;
  for (std::size_t row = 0; row < table.row_count; ++row) {
    const std::string name = to_text(table.cell(row, 0));
    if (found.empty() || found.back().name != name) found.push_back({name, row, row, {}});
    found.back().last_row = row + 1;
  }
  for (Section& section : found) {
    for (std::size_t column = 1; column < table.columns.size(); ++column) {
      if (has_value(table, section, column)) section.columns.push_back(column);
    }
  }
  return found;
}

}  // namespace dlview::report
