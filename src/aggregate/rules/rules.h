// The rules of `nsys analyze` for a range of iterations: copies of pageable memory, synchronous
// copies and memsets, waits, gaps of a GPU, parts of the range in which it does little. Findings
// bear the names that nsys gives its rules (decisions.md 60, 61).
//
// Calls count with their op instance, gaps and parts by their time. A finding is made where the
// share of the range is above its threshold; of the calls that is the time in which at least one
// thread is in such a call, of gaps and parts the mean over every GPU of every process.
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
