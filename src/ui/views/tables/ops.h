// Ops and kernels: all ops of the range, and below them the kernels of the one that is selected.
#pragma once

#include "ui/table/data_table.h"
#include "ui/views/limits/badges.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/table_view.h"
#include "ui/views/tables/time_columns.h"

namespace dlview::ui {

class OpsView : public TableView {
 public:
  explicit OpsView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&ops_, &kernels_}; }
  bool wants_limits() const override { return true; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;

  ViewData ops_data_{"op_nodes", add_times_of_ops}, kernels_data_;
  MarkedTable marked_ops_;
  BadgedTable badged_ops_{aggregate::LimitsBy::op};
  DataTable ops_, kernels_;
  PaneSlot pane_;
  BoxStack stack_{"ops", {1.7f, 1.0f}};
};

}  // namespace dlview::ui
