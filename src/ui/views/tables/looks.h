// How the tables of report/views look on screen: which columns, in which order, how wide.
#pragma once

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
TableLook kernel_names_look(const profile::Profile& profile);
TableLook launches_look(const profile::Profile& profile);
TableLook op_shapes_look(const profile::Profile& profile);
TableLook devices_look();
TableLook gaps_look(const profile::Profile& profile);
TableLook groups_look(const profile::Profile& profile);

// A row of group_ops: its group, or its op.
std::optional<aggregate::Filter> group_or_op_filter(const report::Table& table, std::size_t row);

// The columns that iterations_look() has beside those of the view: GPU time of the iteration, all
// of it and that with Tensor Cores, and what part of the iteration that is.
void add_iteration_times(TableData& data, const report::ViewArguments&);

}  // namespace dlview::ui
