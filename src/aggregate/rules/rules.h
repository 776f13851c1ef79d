// The rules of `nsys analyze` for a range of iterations: copies of pageable memory, synchronous
// copies and memsets, waits, gaps of a GPU, parts of the range in which it does little. Findings
// bear the names that nsys gives its rules (decisions.md 60, 61).
//
// Calls count with their op instance, their share and what they cost by their time: the time in
// which at least one thread is in such a call, and that part of it in which the GPUs of its process
// are idle (RuleCall), as a mean over processes. Gaps and parts count by their time, as means over
// every GPU of every process. A finding is made where calls cost, or gaps and parts take, more of
// the range than the threshold.
#pragma once

#include <cstddef>
#include <vector>

#include "aggregate/finding.h"
#include "aggregate/rules/rule_index.h"
#include "aggregate/thresholds.h"

namespace dlview::aggregate {

// The equal parts into which a range is cut, to look at the use of a GPU in each.
inline constexpr int64_t kRangeParts = 30;

// In the order above, each with its longest places. Of the aggregation the iterations and the range
// count, not the filters.
std::vector<Finding> apply_rules(const profile::Profile& profile, const RuleIndex& index,
                                 const Aggregation& aggregation, const AdviceThresholds& thresholds,
                                 std::size_t most_places);

}  // namespace dlview::aggregate
