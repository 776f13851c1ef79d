#include "ui/views/details/row_details.h"

#include <string>
#include <variant>

namespace dlview::ui {
namespace {

std::string value_of(const report::Column& column, const report::Cell& cell,
                     const ColumnLook& look) {
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
  return cell_text(column, cell, look.instant ? Digits::instant : Digits::few);
}

}  // namespace

DetailsContent prepare_row_details(const TableData& data, std::size_t row, const TableLook& look) {
  const report::Table& table = data.table;
  DetailsContent content;
  content.kind = look.row_kind;
  content.name = text_of_cell(table, row, look.row_name);
  for (const ColumnLook& of_look : look.columns) {
    const std::size_t at = find_column(table, report::ColumnName(of_look.id));
    if (at == kNoColumn || of_look.id == look.row_name.text()) continue;
    if (of_look.applies && !of_look.applies(data)) continue;
    const report::Column& column = table.columns[at];
    const report::Cell cell = table.cell(row, at);
    if (std::holds_alternative<std::monostate>(cell)) continue;
    const std::string& title = of_look.title.empty() ? column.title : of_look.title;
    if (column.kind != report::CellKind::text) {
      content.facts.push_back({of_look.id, title, value_of(column, cell, of_look)});
      continue;
    }
    // The key only repeats other columns, but in a tree it is the path.
    if (of_look.id == look.key.text() && data.tree == nullptr) continue;
    const std::string text = report::to_text(cell);
    if (!text.empty()) content.texts.push_back({title, text});
  }
  return content;
}

}  // namespace dlview::ui
