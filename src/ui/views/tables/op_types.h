// Op Type Summary: one row per op type, and below it the ops of the type that is selected.
#pragma once

#include "ui/table/data_table.h"
#include "ui/views/tables/table_view.h"
#include "ui/views/tables/view_data.h"

namespace dlview::ui {

class OpTypesView {
 public:
  explicit OpTypesView(const profile::Profile& profile);
  void draw(Frame& frame, const Box& box, Tables& tables);

  std::vector<DataTable*> tables() { return {&types_, &ops_}; }

 private:
  ViewData types_data_, ops_data_{"op_nodes"};
  DataTable types_, ops_;
  PaneSlot pane_;
  BoxStack stack_{"op_types", {1.3f, 1.0f}};
};

// What the kernels took that the ops of each type launched, for the colours of its times.
void add_parts_of_types(TableData& data, const report::ViewArguments&);

}  // namespace dlview::ui
