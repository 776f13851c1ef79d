#include "ui/views/tables/table_views.h"

#include <algorithm>

#include "ui/model.h"

namespace dlview::ui {

TableViews::TableViews(const profile::Profile& profile)
    : op_types_(profile),
      groups_(profile),
      ops_(profile),
      by_iteration_(profile),
      by_op_(profile),
      gpus_(profile),
      cuda_summary_(profile) {}

void TableViews::focus(const std::vector<DataTable*>& shown, Tables& tables) const {
  if (shown.empty()) return tables.focused.clear();
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

bool TableViews::can_place_selected(ViewId view, const Tables& tables) {
  return std::ranges::any_of(tables_of(view), [&](const DataTable* table) {
    return table->model().look().id == tables.focused && table->can_place_selected();
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
    case ViewId::cuda_summary:
      return cuda_summary_.tables();
    case ViewId::dashboard:
    case ViewId::iterations:
    case ViewId::timeline:
    case ViewId::system:
      return {};
  }
  return {};
}

void TableViews::set(const TableState& state) {
  cuda_summary_.set(state);
  for (const ViewInfo& view : kViews) {
    if (view.id == ViewId::cuda_summary) continue;  // has more tables than it shows
    for (DataTable* table : tables_of(view.id)) {
      if (table->model().look().id == state.table) table->set(state);
    }
  }
}

std::vector<TableState> TableViews::states(ViewId view) {
  if (view == ViewId::cuda_summary) return cuda_summary_.states();
  std::vector<TableState> states;
  for (const DataTable* table : tables_of(view)) {
    if (table->is_changed()) states.push_back(table->state());
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
    case ViewId::cuda_summary:
      return show(cuda_summary_);
    case ViewId::system:
      return system_.draw(frame, box);
    case ViewId::dashboard:
    case ViewId::iterations:
    case ViewId::timeline:
      return;
  }
}

}  // namespace dlview::ui
