// Runs of columns that several of DLProf's reports share.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "aggregate/stats.h"
#include "profile/profile.h"
#include "report/table.h"

namespace dlview::report::dlprof {

// Total, average, minimum and maximum of one time. DLProf writes "Avg." in most reports and "Avg"
// in the kernel report.
void append_stats_columns(std::vector<Column>& columns, std::string_view id, std::string_view title,
                          std::string_view average_prefix,
                          const std::function<const aggregate::Stats&(std::size_t row)>& stats);

// The sixteen columns of CPU Time, GPU Time, CPU Overhead and GPU Idle.
void append_time_columns(std::vector<Column>& columns,
                         const std::function<const aggregate::TimeStats&(std::size_t row)>& times);

// Op ID, Op Name, Direction and, if wanted, Op Type.
void append_op_columns(std::vector<Column>& columns, const profile::Profile& profile,
                       const std::function<profile::OpIndex(std::size_t row)>& op);
void append_op_type_column(std::vector<Column>& columns, const profile::Profile& profile,
                           const std::function<profile::OpIndex(std::size_t row)>& op);

}  // namespace dlview::report::dlprof
