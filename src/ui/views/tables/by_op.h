// Kernels by Op: an iteration, the ops in it, and the kernels of the op that is selected there.
#pragma once

#include <cstddef>

#include "ui/table/data_table.h"
#include "ui/views/tables/table_view.h"
#include "ui/views/tables/view_data.h"

namespace dlview::ui {

class ByOpView {
 public:
  explicit ByOpView(const profile::Profile& profile);
  void draw(Frame& frame, const Box& box, Tables& tables);

  std::vector<DataTable*> tables() { return {&iterations_, &ops_, &kernels_}; }

 private:
  ViewData iterations_data_, ops_data_{"iteration_ops"}, kernels_data_;
  DataTable iterations_, ops_, kernels_;
  PaneSlot pane_;
  std::size_t waiting_ = 0;  // tables that only prompt
  BoxStack stack_{"by_op", {1.0f, 1.2f, 1.0f}};
};

}  // namespace dlview::ui
