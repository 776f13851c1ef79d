// Operators: the ops and annotations of every nesting level of a PyTorch trace, by name, by input
// shape, by Python call stack or as a tree.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ui/table/data_table.h"
#include "ui/table/open_rows.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

class OperatorsView : public TableView {
 public:
  explicit OperatorsView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&chosen().table}; }
  // Of all tables and of kOperatorChoice.
  void set_table(const workspace::TableState& state) override;
  std::vector<workspace::TableState> table_states() override;
  bool wants_python_frames() const override { return choice_ == kStacks; }

  // The table that stands for what is chosen, in a state: its selected row is the id of a table.
  static constexpr const char* kOperatorChoice = "operator_view";

 private:
  struct Part {
    LateViewData data;
    DataTable table;
  };
  static constexpr std::size_t kNames = 0, kStacks = 2, kTree = 3;

  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  // Returns the bottom.
  float draw_toolbar(Frame& frame, const Area& area);
  void draw_tree(Frame& frame, const Box& box, Tables& tables);
  Part& chosen() { return parts_[choice_]; }

  std::size_t choice_ = kNames;
  std::array<Part, 4> parts_;
  OpenRows open_;
  RowPaneSlot pane_;
};

}  // namespace dlview::ui
