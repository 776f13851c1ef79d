// Ops by group: the tree of groups and ops, as an icicle and as a table.
#pragma once

#include <cstdint>
#include <memory>

#include "ui/table/data_table.h"
#include "ui/table/open_rows.h"
#include "ui/views/limits/badges.h"
#include "ui/views/tables/icicle.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

class GroupsView : public TableView {
 public:
  explicit GroupsView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&groups_}; }
  bool wants_limits() const override { return true; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  std::shared_ptr<const TableData> data(const Model& model, Background& background);
  void draw_icicle(Frame& frame, const Box& box, const std::shared_ptr<const TableData>& data);

  ViewData view_data_;
  BadgedTable badged_{aggregate::LimitsBy::group};
  DataTable groups_;
  Icicle icicle_;
  PaneSlot pane_;
  OpenRows open_;  // groups
  bool opens_first_ = true;
};

// The parent of each row, and the directions and kernel times of the ops in it.
void add_tree(TableData& data, const report::ViewArguments&);

}  // namespace dlview::ui
