// What a page knows of each iteration: where its time went, for any range, and the columns with
// which the script finds the same for the range that a reader chooses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/metrics.h"
#include "profile/profile.h"
#include "report/page/page.h"

namespace dlview::report::page {

// A part of the mean iteration. Times are per iteration and GPU, rounded down; the last part has
// what rounding left, so that they add up to the mean duration.
struct TimePart {
  std::string_view id, label;  // "other_kernels", "Other kernels"
  aggregate::MetricId metric;
  int64_t sum_ns = 0;   // over the range and all GPUs
  int64_t mean_ns = 0;  // per iteration and GPU
  double percent = 0;
  bool is_recorded = true;
};
// The seven categories, and exposed communication out of the kernels if any kernel of the run
// communicates: as the window's breakdown has them (spec.md 6, 45).
std::vector<TimePart> time_parts(const profile::Profile& profile,
                                 const aggregate::Aggregation& aggregation);

// "data_iterations": durations and sums of all iterations of the run, as 64-bit integers, a column
// after the other; of each column first the lowest bytes of all iterations, then the next ones.
// "data_run": what else the script needs for them, as JSON. `columns_bytes`: more are left out.
struct IterationBlocks {
  std::vector<DataBlock> blocks;
  bool has_columns = true;
};
IterationBlocks iteration_blocks(const profile::Profile& profile,
                                 const aggregate::Aggregation& aggregation, std::size_t most_bytes);

}  // namespace dlview::report::page
