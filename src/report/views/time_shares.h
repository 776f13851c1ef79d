// Columns that divide the GPU time of a row: its share of a total, and its time per iteration. The
// views of kernels and the screen's tables of ops share them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "aggregate/aggregation.h"
#include "report/columns.h"

namespace dlview::report {

// The GPU time, in ns, of all ops of the range, and of all kernels of these ops (none = of all
// ops). Filters do not change them.
int64_t total_op_time(const aggregate::Aggregation& aggregation);
int64_t total_kernel_time(const aggregate::Aggregation& aggregation,
                          std::span<const profile::OpIndex> ops);

// The cell of another column, divided. Empty where that one is empty, and if the divisor is 0.
Column divided_column(ColumnId id, std::function<Cell(std::size_t row)> time, double divisor);

// Appends gpu_time_share, in percent of `total_ns`, and gpu_time_per_iteration, the mean over the
// iterations of the range.
void append_time_shares(std::vector<Column>& columns,
                        const std::function<Cell(std::size_t row)>& gpu_time, int64_t total_ns,
                        const aggregate::Aggregation& aggregation);

}  // namespace dlview::report
