// How the tables of report/views look on screen: which columns, in which order, how wide.
#pragma once

#include "profile/profile.h"
#include "report/views/views.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// Directions, data types and stack traces have columns if any are recorded, and GPU times if GPU
// activity is. Columns that the views lack come from ui/views/tables/time_columns.h and below.
TableLook op_types_look(const profile::Profile& profile);
TableLook ops_look(const profile::Profile& profile);
TableLook kernels_look(const profile::Profile& profile);
TableLook iterations_look(const profile::Profile& profile);
TableLook iteration_kernels_look(const profile::Profile& profile);
TableLook iteration_ops_look(const profile::Profile& profile);
TableLook iteration_op_kernels_look(const profile::Profile& profile);
TableLook kernel_names_look(const profile::Profile& profile);
TableLook launches_look(const profile::Profile& profile);
TableLook op_shapes_look(const profile::Profile& profile);
TableLook devices_look();
TableLook gaps_look(const profile::Profile& profile);
TableLook collectives_look(const profile::Profile& profile);
TableLook collective_calls_look(const profile::Profile& profile);
TableLook memory_peak_look();
TableLook memory_peak_groups_look();
TableLook memory_ops_look();
TableLook memory_events_look();
TableLook memory_usage_look();
TableLook modules_look(const profile::Profile& profile);
TableLook module_classes_look(const profile::Profile& profile);
TableLook operators_look(const profile::Profile& profile);
TableLook operator_shapes_look(const profile::Profile& profile);
TableLook operator_stacks_look(const profile::Profile& profile);
TableLook operator_tree_look(const profile::Profile& profile);
TableLook groups_look(const profile::Profile& profile);
TableLook stacks_look();
TableLook stack_tree_look();

// Filters to the group or the op in a row of group_ops.
std::optional<aggregate::Filter> group_or_op_filter(const report::Table& table, std::size_t row);

// Adds the columns that iterations_look() has and the view lacks: GPU time of the iteration, in all
// and with Tensor Cores, and its share of the duration.
void add_iteration_times(TableData& data, const report::ViewArguments&);

// Adds what devices_look() has beside the columns of the view: kernel time, launches, and instead
// of two numbers the compute capability, "8.0".
void add_device_columns(TableData& data, const report::ViewArguments&);

}  // namespace dlview::ui
