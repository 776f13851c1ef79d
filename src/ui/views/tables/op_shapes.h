// Ops of the range, a row for each of their input shapes.
#pragma once

#include "ui/table/data_table.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

class OpShapesView : public TableView {
 public:
  explicit OpShapesView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&ops_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;

  LateViewData data_{"op_shapes", {}, add_communication};
  MarkedTable marked_;
  DataTable ops_;
};

}  // namespace dlview::ui
