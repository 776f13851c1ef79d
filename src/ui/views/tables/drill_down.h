// Views of tables above each other, each with what the selected row above it holds: Op Type
// Summary, Kernels by Iteration, Kernels by Op.
#pragma once

#include <cstddef>

#include "ui/table/data_table.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/table_view.h"
#include "ui/views/tables/time_columns.h"

namespace dlview::ui {

// Op Type Summary: one row per op type, and below it the ops of the type that is selected.
class OpTypesView : public TableView {
 public:
  explicit OpTypesView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&types_, &ops_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  ViewData types_data_, ops_data_{"op_nodes", add_times_of_ops};
  MarkedTable marked_ops_{mark_unknown_ops};
  DataTable types_, ops_;
  PaneSlot pane_;
  BoxStack stack_{"op_types", {1.3f, 1.0f}};
};

// What the kernels took that the ops of each type launched, for the colors of its times.
void add_parts_of_types(TableData& data, const report::ViewArguments&);

// Kernels by Iteration: the iterations of the range, and below them the kernels of the one that is
// selected.
class ByIterationView : public TableView {
 public:
  explicit ByIterationView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&iterations_, &kernels_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  ViewData iterations_data_, kernels_data_;
  DataTable iterations_, kernels_;
  bool is_waiting_ = false;  // for an iteration to be selected
  BoxStack stack_{"by_iteration", {1.0f, 1.1f}};
};

// The iteration that a table of iterations has selected; nullopt = none.
std::optional<int64_t> selected_iteration(const TableModel& iterations);

// Kernels by Op: an iteration, the ops in it, and the kernels of the op that is selected there.
class ByOpView : public TableView {
 public:
  explicit ByOpView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&iterations_, &ops_, &kernels_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  ViewData iterations_data_, ops_data_{"iteration_ops"}, kernels_data_;
  DataTable iterations_, ops_, kernels_;
  PaneSlot pane_;
  std::size_t waiting_ = 0;  // tables that only prompt
  BoxStack stack_{"by_op", {1.0f, 1.2f, 1.0f}};
};

}  // namespace dlview::ui
