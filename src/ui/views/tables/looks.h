// How the tables of report/views look on screen: which columns, in which order, how wide.
#pragma once

#include "profile/profile.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// Directions, data types and stack traces have columns where the profile tells any.
TableLook op_types_look(const profile::Profile& profile);
TableLook ops_look(const profile::Profile& profile);
TableLook kernels_look();
TableLook iterations_look(const profile::Profile& profile);
TableLook iteration_kernels_look();
TableLook iteration_ops_look(const profile::Profile& profile);
TableLook iteration_op_kernels_look();
TableLook devices_look();
TableLook groups_look(const profile::Profile& profile);

// The columns that iterations_look() has beside those of the view: GPU time of the iteration, all
// of it and that with Tensor Cores, and what part of the iteration that is.
void add_iteration_times(TableData& data);

}  // namespace dlview::ui
