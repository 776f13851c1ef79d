// The expert systems: what the numbers of a selection suggest to change, in DLProf's order and,
// where DLProf's texts are known, in its words (features.md, section 5.1; dlprof-database.md,
// section 7).
#pragma once

#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/thresholds.h"

namespace dlview::aggregate {

// Eligible ops with this data type cannot use Tensor Cores (op_nodes.is_bad_data_type).
inline constexpr std::string_view kBadDataType = "float32";

std::vector<Advice> advise(const profile::Profile& profile, const Aggregation& aggregation,
                           const AdviceThresholds& thresholds = {});

// (p95 - p5) / median of the durations of the range's iterations; 0 where there are fewer than two.
double iteration_variation(const Aggregation& aggregation);

// Ids of the thresholds that decided on an advice; "No DALI ops detected" has none.
std::vector<std::string_view> thresholds_of(const Advice& advice);

}  // namespace dlview::aggregate
