// Kernels by Iteration: the iterations of the range, and below them the kernels of the one that is
// selected.
#pragma once

#include "ui/table/data_table.h"
#include "ui/views/tables/table_view.h"
#include "ui/views/tables/view_data.h"

namespace dlview::ui {

class ByIterationView {
 public:
  explicit ByIterationView(const profile::Profile& profile);
  void draw(Frame& frame, const Box& box, Tables& tables);

  std::vector<DataTable*> tables() { return {&iterations_, &kernels_}; }

 private:
  ViewData iterations_data_, kernels_data_;
  DataTable iterations_, kernels_;
  bool is_waiting_ = false;  // for an iteration to be selected
  BoxStack stack_{"by_iteration", {1.0f, 1.1f}};
};

// The iteration that a table of iterations has selected; nullopt = none.
std::optional<int64_t> selected_iteration(const TableModel& iterations);

}  // namespace dlview::ui
