// How the tables of report/views look on screen: which columns, in which order, how wide.
#pragma once

#include "profile/profile.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// PyTorch profiles alone tell directions and stack traces; their columns stay away from others.
struct RecordedTexts {
  bool directions = false, stack_traces = false, data_types = false;
};
RecordedTexts recorded_texts(const profile::Profile& profile);

TableLook op_types_look();
TableLook ops_look(const RecordedTexts& recorded);
TableLook kernels_look();
TableLook iterations_look(bool several_devices);
TableLook iteration_kernels_look();
TableLook iteration_ops_look(const RecordedTexts& recorded);
TableLook iteration_op_kernels_look();
TableLook devices_look();
TableLook groups_look();

// The columns that iterations_look() has beside those of the view: GPU time of the iteration, all
// of it and that with Tensor Cores, and what part of the iteration that is.
void add_iteration_times(TableData& data);

}  // namespace dlview::ui
