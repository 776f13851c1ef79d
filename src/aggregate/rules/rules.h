// Detectors that use events, in addition to DLProf's and those of findings.cpp: copies, memsets,
// scalar reads, synchronizations and allocations that block the host, exposed copies, layout
// transposes, GEMMs on CUDA cores, launch-bound kernels, idle GPUs. Those that `nsys analyze` has
// too have the names of its rules (spec.md 60, 61).
//
// All savings are GPU time per iteration, as means over processes (calls) or over the GPUs that ran
// a kernel in the range (the rest).
#pragma once

#include <cstddef>

#include "aggregate/rules/finding_report.h"
#include "aggregate/rules/rule_index.h"

namespace dlview::aggregate {

// The number of equal slices of a range whose GPU utilization is measured.
inline constexpr int64_t kRangeSlices = 30;

// Applies the rules. `index` may be null: then only those that need no events. Uses the iterations
// and the range of the aggregation, not the filters.
void apply_rules(const RuleIndex* index, std::size_t most_places, FindingReport& report);

}  // namespace dlview::aggregate
