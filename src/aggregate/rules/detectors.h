// The detectors that look at events: each measures what could be saved and reports it.
#pragma once

#include <cstddef>

#include "aggregate/limits/limits.h"
#include "aggregate/rules/finding_report.h"
#include "aggregate/rules/rule_index.h"

namespace dlview::aggregate {

// Places of a finding: at most `most_places`, the worst first.
void report_blocking_calls(const RuleIndex& index, std::size_t most_places, FindingReport& report);
void report_exposed_work(const RuleIndex& index, std::size_t most_places, FindingReport& report);
void report_launch_gaps(const RuleIndex& index, std::size_t most_places, FindingReport& report);
// What follows from limits: FP32 GEMMs, unaligned sizes, tail waves, chains to fuse, occupancy.
void report_limits(const LimitIndex& index, std::size_t most_places, FindingReport& report);
// Outliers of the range, a finding for each class.
void report_slow_iterations(const RuleIndex& index, FindingReport& report);
// `index` may be null: then no cause is looked for.
void report_idle_gpus(const RuleIndex* index, std::size_t most_places, FindingReport& report);

// ns in which a GPU that ran a kernel in the range ran neither a kernel nor a memory operation, in
// each iteration; mean over these GPUs. Without an index memory operations of other GPUs count,
// too.
PerIteration idle_ns(const RangeView& view, const RuleIndex* index);

}  // namespace dlview::aggregate
