// Views of stacked tables, each with the contents of the row selected above it: Ops by type,
// Kernels by iteration, Kernels by op.
#pragma once

#include <cstddef>

#include "ui/table/data_table.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/table_view.h"
#include "ui/views/tables/time_columns.h"

namespace dlview::ui {

// Ops by type: one row per op type, and below the ops of the selected type.
class OpTypesView : public TableView {
 public:
  explicit OpTypesView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&types_, &ops_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  ViewData types_data_, ops_data_{"op_nodes", add_times_of_ops};
  MarkedTable marked_ops_;
  DataTable types_, ops_;
  PaneSlot pane_;
  BoxStack stack_{"op_types", {1.3f, 1.0f}};
};

// The time of the kernels that the ops of each type launched, for the colors of its times.
void add_parts_of_types(TableData& data, const report::ViewArguments&);

// Kernels by iteration: the iterations of the range, and below the kernels of the selected one.
class ByIterationView : public TableView {
 public:
  explicit ByIterationView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&iterations_, &kernels_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  ViewData iterations_data_, kernels_data_;
  DataTable iterations_, kernels_;
  bool is_waiting_ = false;  // for a selected iteration
  BoxStack stack_{"by_iteration", {1.0f, 1.1f}};
};

// The selected row of a table of iterations; nullopt = none.
std::optional<int64_t> selected_iteration(const TableModel& iterations);

// Kernels by op: the iterations, the ops of the selected one, and the kernels of the selected op.
class ByOpView : public TableView {
 public:
  explicit ByOpView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&iterations_, &ops_, &kernels_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  ViewData iterations_data_, ops_data_{"iteration_ops", add_communication}, kernels_data_;
  MarkedTable marked_ops_;
  DataTable iterations_, ops_, kernels_;
  PaneSlot pane_;
  std::size_t waiting_ = 0;  // tables that show only a prompt
  BoxStack stack_{"by_op", {1.0f, 1.2f, 1.0f}};
};

}  // namespace dlview::ui
