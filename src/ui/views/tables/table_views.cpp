#include "ui/views/tables/table_views.h"

#include <algorithm>

#include "ui/view_list.h"

namespace dlview::ui {

TableViews::TableViews(const profile::Profile& profile)
    : op_types_(profile),
      groups_(profile),
      ops_(profile),
      by_iteration_(profile),
      by_op_(profile) {}

void TableViews::focus(const std::vector<DataTable*>& shown, Tables& tables) const {
  const auto id = [](const DataTable* table) { return table->model().look().id; };
  auto focused = std::ranges::find(shown, tables.focused, id);
  if (focused == shown.end()) focused = shown.begin();
  if (tables.command == TableCommand::next) {
    tables.command.reset();
    tables.shows_focus = true;
    const auto has_rows = [](const DataTable* table) { return table->has_data(); };
    const auto next = std::find_if(focused + 1, shown.end(), has_rows);
    focused = next == shown.end() ? shown.begin() : next;
  }
  tables.focused = id(*focused);
}

bool TableViews::has_selected_row(ViewId view, const Tables& tables) {
  return std::ranges::any_of(tables_of(view), [&](const DataTable* table) {
    return table->model().look().id == tables.focused && !table->model().selected().empty();
  });
}

std::vector<DataTable*> TableViews::tables_of(ViewId view) {
  switch (view) {
    case ViewId::op_types:
      return op_types_.tables();
    case ViewId::groups:
      return groups_.tables();
    case ViewId::ops:
      return ops_.tables();
    case ViewId::by_iteration:
      return by_iteration_.tables();
    case ViewId::by_op:
      return by_op_.tables();
    case ViewId::gpus:
      return gpus_.tables();
    case ViewId::dashboard:
    case ViewId::iterations:
    case ViewId::system:
      return {};
  }
  return {};
}

void TableViews::set(const TableState& state) {
  for (const ViewInfo& view : kViews) {
    for (DataTable* table : tables_of(view.id)) {
      if (table->model().look().id != state.table) continue;
      const bool as_at_first = state.query == report::TableQuery{};
      table->model().set_query(as_at_first ? table->model().look().first_query : state.query);
      table->model().select(state.selected);
      table->reveal_selected();
    }
  }
}

std::vector<TableState> TableViews::states(ViewId view) {
  std::vector<TableState> states;
  for (DataTable* table : tables_of(view)) {
    const TableModel& model = table->model();
    if (model.query() == model.look().first_query && model.selected().empty()) continue;
    states.push_back({model.look().id, model.query(), model.selected()});
  }
  return states;
}

void TableViews::draw(Frame& frame, const Box& box, Tables& tables) {
  const auto show = [&](auto& view) {
    focus(tables_of(frame.model.view), tables);
    view.draw(frame, box, tables);
  };
  switch (frame.model.view) {
    case ViewId::op_types:
      return show(op_types_);
    case ViewId::groups:
      return show(groups_);
    case ViewId::ops:
      return show(ops_);
    case ViewId::by_iteration:
      return show(by_iteration_);
    case ViewId::by_op:
      return show(by_op_);
    case ViewId::gpus:
      return show(gpus_);
    case ViewId::system:
      return system_.draw(frame, box);
    case ViewId::dashboard:
    case ViewId::iterations:
      return;
  }
}

}  // namespace dlview::ui
