// Columns of GPU time that tables of ops and kernels have on screen, beside those of their views.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/times_over_iterations.h"
#include "report/columns.h"
#include "report/views/views.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// The looks of share, time per iteration and sparkline. The last two apply to ranges of several
// iterations.
std::vector<ColumnLook> time_column_looks();

// Adds their columns. `total_ns` is 100%.
void add_time_columns(TableData& data, report::ColumnId gpu_time, int64_t total_ns);

// The GPU time in the range of all ops, or of all kernels of these ops (none = of all ops). Filters
// do not change it.
int64_t total_op_time(const aggregate::Aggregation& aggregation);
int64_t total_kernel_time(const aggregate::Aggregation& aggregation,
                          std::span<const profile::OpIndex> ops);

// Sparklines of the rows, if the range has several iterations and the table is not too long.
void add_op_sparklines(TableData& data, std::function<aggregate::RowsOfOps()> rows);
// As in kernel_times_over_iterations().
using RowOfKernel = std::function<uint32_t(profile::OpIndex, profile::KernelIndex)>;
void add_kernel_sparklines(TableData& data, std::vector<profile::OpIndex> ops,
                           std::function<RowOfKernel()> make_row_of);

// All of this for op_nodes, op_type_summary, kernel_summaries, kernel_names, and group_ops with its
// tree. Ops get their total time, groups their self times, where ranges contain ops.
void add_times_of_ops(TableData& data, const report::ViewArguments& arguments);
void add_times_of_types(TableData& data, const report::ViewArguments& arguments);
void add_times_of_kernels(TableData& data, const report::ViewArguments& arguments);
void add_times_of_kernel_names(TableData& data, const report::ViewArguments& arguments);
void add_times_of_groups(TableData& data, const report::ViewArguments& arguments);

}  // namespace dlview::ui
