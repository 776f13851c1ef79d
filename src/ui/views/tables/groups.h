// Ops by group: the tree of groups and ops, as an icicle and as a table.
#pragma once

#include <set>
#include <string>

#include "ui/table/data_table.h"
#include "ui/views/tables/icicle.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

class GroupsView : public TableView {
 public:
  explicit GroupsView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&groups_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  std::shared_ptr<const TableData> data(const Model& model);
  void turn(uint32_t row);
  void open_all(bool open);
  // Opens the groups around the row.
  void open_above(uint32_t row);
  void draw_icicle(Frame& frame, const Box& box, const std::shared_ptr<const TableData>& data);

  ViewData view_data_;
  DataTable groups_;
  Icicle icicle_;
  PaneSlot pane_;
  std::shared_ptr<const TableData> made_from_, data_;
  std::set<std::string> open_;  // ids of the open groups
};

// The parent of each row, and the directions and kernel times of the ops in it.
void add_tree(TableData& data, const report::ViewArguments&);

}  // namespace dlview::ui
