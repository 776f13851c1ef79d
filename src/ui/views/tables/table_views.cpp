#include "ui/views/tables/table_views.h"

#include <algorithm>

namespace dlview::ui {

TableViews::TableViews(const profile::Profile& profile)
    : op_types_(profile), ops_(profile), by_iteration_(profile), by_op_(profile) {}

void TableViews::focus(const std::vector<DataTable*>& shown, Tables& tables) const {
  const auto id = [](const DataTable* table) { return table->model().look().id; };
  if (std::ranges::find(shown, tables.focused, id) == shown.end()) tables.focused = id(shown[0]);
}

void TableViews::draw(Frame& frame, const Box& box, Tables& tables) {
  const auto show = [&](auto& view) {
    focus(view.tables(), tables);
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
