// DLProf's expert systems: what the numbers of a selection suggest to change, in DLProf's order
// and, where its texts are known, in its words (formats.md 7).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/thresholds.h"

namespace dlview::aggregate {

// Eligible ops with this data type cannot use Tensor Cores (op_nodes.is_bad_data_type).
inline constexpr std::string_view kBadDataType = "float32";

inline bool is_half_precision(std::string_view data_type) {
  return data_type == "float16" || data_type == "bfloat16";
}

std::vector<Advice> advise(const profile::Profile& profile, const Aggregation& aggregation,
                           const AdviceThresholds& thresholds = {});

// The span of 90% of the durations of the range's iterations, divided by their median; 0 for fewer
// than two.
double iteration_variation(const Aggregation& aggregation);

// Returns the used share of the GPU that uses most of its memory, or nullopt if it is not recorded.
std::optional<double> used_memory_percent(const profile::Profile& profile);

// Ids of the thresholds that decided on an advice; "No DALI ops detected" has none.
std::vector<std::string_view> thresholds_of(const Advice& advice);

}  // namespace dlview::aggregate
