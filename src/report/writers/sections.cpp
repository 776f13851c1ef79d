#include "report/writers/sections.h"

namespace dlview::report {
namespace {

bool has_value(const Table& table, const Section& section, std::size_t column) {
  for (std::size_t row = section.first_row; row < section.last_row; ++row) {
    if (!std::holds_alternative<std::monostate>(table.cell(row, column))) return true;
  }
  return false;
}

}  // namespace

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
