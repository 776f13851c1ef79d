// The detectors that look at events, beside DLProf's and those of findings.cpp: copies, memsets,
// scalar reads, synchronizations and allocations in which the host blocks, exposed copies, layout
// transposes, GEMMs on CUDA cores, launches that are too slow, idle GPUs. Those that `nsys analyze`
// has bear the names that it gives its rules (spec.md 60, 61).
//
// All savings are GPU time: per iteration, as means over processes (calls) or over the GPUs that
// ran a kernel in the range (the rest).
#pragma once

#include <cstddef>

#include "aggregate/rules/finding_report.h"
#include "aggregate/rules/rule_index.h"

namespace dlview::aggregate {

// The equal slices into which a range is cut, to look at the use of a GPU in each.
inline constexpr int64_t kRangeSlices = 30;

// `index` may be null: then only what needs no events. Of the aggregation the iterations and the
// range count, not the filters.
void apply_rules(const RuleIndex* index, std::size_t most_places, FindingReport& report);

}  // namespace dlview::aggregate
