// The source of a number on screen: the rows it is computed from, and SQL over the tables of a
// DLProf database that returns it for the same iterations. The SQL uses raw tables only, so it
// recomputes the number. It needs SQLite 3.25 (window functions).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aggregate/aggregation.h"
#include "aggregate/metrics.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// `op`: whose number it is, for the metrics of ops.
struct Figure {
  MetricId metric;
  profile::OpIndex op{};
};

// Returns a statement whose first column of its only row is the number: ns, percent or a count.
// nullopt for other formats, metrics without SQL, host times with a stored I/O time, and filtered
// numbers.
std::optional<std::string> sql_of(const profile::Profile& profile, const Aggregation& aggregation,
                                  const Figure& figure);

// "100 000 kernels, 2 304 memory operations": the rows of the range that the metric looks at, as
// far as filters keep them.
std::string source_rows(const Aggregation& aggregation, const Figure& figure);

// From which tables of the open file a number comes.

// "read_only_kernels, read_only_gpu_infos"; of an export of Nsight Systems
// "CUPTI_ACTIVITY_KIND_KERNEL, TARGET_INFO_GPU". Null = no file is open: "kernels, GPUs".
std::string source_tables(const Metric& metric, const profile::Profile* profile);

}  // namespace dlview::aggregate
