// Columns of GPU time that tables of ops and kernels have on screen, in addition to those of their
// views.
#pragma once

#include <vector>

#include "report/views/views.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// The looks of share, time per iteration and sparkline. The last two apply to ranges of several
// iterations.
std::vector<ColumnLook> time_column_looks();

// Adds those of their columns that the view lacks, and sparklines if the range has several
// iterations and the table is not too long: for op_nodes, op_type_summary, kernel_summaries,
// kernel_names, and group_ops with its tree. 100% is the GPU time in the range of all ops, or of
// all kernels of the arguments' ops (none = of all ops); filters do not change it. Ops get their
// total time, groups their self times, where ranges contain ops. Ops also get add_communication().
void add_times_of_ops(TableData& data, const report::ViewArguments& arguments);
void add_times_of_types(TableData& data, const report::ViewArguments& arguments);
void add_times_of_kernels(TableData& data, const report::ViewArguments& arguments);
void add_times_of_kernel_names(TableData& data, const report::ViewArguments& arguments);
void add_times_of_groups(TableData& data, const report::ViewArguments& arguments);

}  // namespace dlview::ui
