// How the tables of report/views look on screen: which columns, in which order, how wide.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "report/views/views.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// Directions, data types and stack traces have columns where the profile tells any.
TableLook op_types_look(const profile::Profile& profile);
TableLook ops_look(const profile::Profile& profile);
TableLook kernels_look(const profile::Profile& profile);
TableLook iterations_look(const profile::Profile& profile);
TableLook iteration_kernels_look(const profile::Profile& profile);
TableLook iteration_ops_look(const profile::Profile& profile);
TableLook iteration_op_kernels_look(const profile::Profile& profile);
TableLook devices_look();
TableLook gaps_look(const profile::Profile& profile);
TableLook groups_look(const profile::Profile& profile);

// Plain sums over ops.
struct KernelTimes {
  int64_t all_ns = 0, tensor_core_ns = 0;
  void add(const aggregate::OpAggregate& op);
};
// By row; gpu_time_parts() reads them.
void add_kernel_times(report::Table& table, std::vector<KernelTimes> times);

// What the GPU time of a row of op types or groups is that of, in ns; kernels that overlap share
// it.
struct TonePart {
  Tone tone = Tone::idle;
  double ns = 0;
};
std::array<TonePart, 3> gpu_time_parts(const report::Table& table, std::size_t row);

// A row of group_ops: its group, or its op.
std::optional<aggregate::Filter> group_or_op_filter(const report::Table& table, std::size_t row);

// The columns that iterations_look() has beside those of the view: GPU time of the iteration, all
// of it and that with Tensor Cores, and what part of the iteration that is.
void add_iteration_times(TableData& data, const report::ViewArguments&);

}  // namespace dlview::ui
