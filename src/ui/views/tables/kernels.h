// Kernels of the range, summed by name or by launch configuration.
#pragma once

#include "ui/table/data_table.h"
#include "ui/views/limits/badges.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/table_view.h"
#include "ui/views/tables/time_columns.h"

namespace dlview::ui {

class KernelsView : public TableView {
 public:
  explicit KernelsView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&kernels_}; }
  bool wants_limits() const override { return true; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;

  // With means over launches, which look at each kernel, it is late.
  const bool has_means_;
  ViewData data_{"kernel_names", add_times_of_kernel_names};
  LateViewData late_data_{"kernel_names", {}, add_times_of_kernel_names};
  MarkedTable marked_;
  BadgedTable badged_{aggregate::LimitsBy::kernel};
  DataTable kernels_;
};

class LaunchesView : public TableView {
 public:
  explicit LaunchesView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&launches_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;

  LateViewData data_{"kernel_launches"};
  MarkedTable marked_;
  DataTable launches_;
};

}  // namespace dlview::ui
