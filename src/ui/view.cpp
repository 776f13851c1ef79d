#include "ui/view.h"

#include "ui/table/data_table.h"

namespace dlview::ui {

void View::set_table(const TableState& state) {
  for (DataTable* table : tables()) {
    if (table->model().look().id == state.table) table->set(state);
  }
}

std::vector<TableState> View::table_states() {
  std::vector<TableState> states;
  for (const DataTable* table : tables()) {
    if (table->is_changed()) states.push_back(table->state());
  }
  return states;
}

}  // namespace dlview::ui
