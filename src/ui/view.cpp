#include "ui/view.h"

#include <algorithm>

#include <fmt/format.h>

#include "ui/table/data_table.h"

namespace dlview::ui {

void View::set_table(const workspace::TableState& state) {
  for (DataTable* table : tables()) {
    if (table->model().look().id == state.table) table->set(state);
  }
}

std::vector<workspace::TableState> View::table_states() {
  std::vector<workspace::TableState> states;
  for (const DataTable* table : tables()) {
    if (table->is_changed()) states.push_back(table->state());
  }
  return states;
}

std::string view_names(const profile::Profile* profile) {
  std::string names;
  for (const ViewInfo& view : views()) {
    if (profile && !is_view_of(*profile, view.id)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", view.name);
  }
  return names;
}

base::Result<ViewId> parse_view(std::string_view text) {
  std::string name(text);
  std::ranges::replace(name, '-', '_');
  const auto found = std::ranges::find(views(), name, &ViewInfo::name);
  if (found != views().end()) return found->id;
  return base::Error{fmt::format("Invalid --view: \"{}\"", text), "",
                     "Valid values: " + view_names()};
}

}  // namespace dlview::ui
