// Ops by group: the tree of groups and ops, as an icicle and as a table.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "ui/table/data_table.h"
#include "ui/table/open_rows.h"
#include "ui/views/limits/badges.h"
#include "ui/views/tables/group_colors.h"
#include "ui/views/tables/icicle.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

class GroupsView : public TableView {
 public:
  explicit GroupsView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&groups_}; }
  bool wants_limits() const override { return true; }
  // Of the table and of kColoring.
  void set_table(const workspace::TableState& state) override;
  std::vector<workspace::TableState> table_states() override;

  // The table that stands for the coloring of the icicle, in a state: its selected row is one.
  static constexpr const char* kColoring = "group_colors";

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  std::shared_ptr<const TableData> data(const Model& model, Background& background);
  void draw_icicle(Frame& frame, const Box& box, const std::shared_ptr<const TableData>& data);
  void take_command(Tables& tables, const TableData& data);
  void want_colors(const Model& model, const std::shared_ptr<const TableData>& data,
                   Background& background);
  // Controls above the icicle; returns the bottom of their lines.
  float draw_controls(Frame& frame, const Area& area, const TableData& data);
  // Returns the bottom.
  float draw_legend(Frame& frame, const Area& area) const;
  void select_row(const TableData& data, uint32_t row);
  // Selects the next match in the order of GPU time, or the one before.
  void step_match(const TableData& data, bool forward);

  ViewData view_data_;
  BadgedTable badged_{aggregate::LimitsBy::group};
  DataTable groups_;
  Icicle icicle_;
  GroupColoring coloring_ = GroupColoring::category;
  using ColorKey = std::tuple<std::shared_ptr<const TableData>, UnknownUse, GroupColoring>;
  Late<ColorKey, GroupColors> colors_{Late<ColorKey, GroupColors>::WhenOutdated::finish};
  PaneSlot pane_;
  OpenRows open_;  // groups
  bool opens_first_ = true;
  bool saves_picture_ = false;  // with this frame
};

// The parent of each row, and the directions and kernel times of the ops in it.
void add_tree(TableData& data, const report::ViewArguments&);

}  // namespace dlview::ui
