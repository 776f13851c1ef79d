// The expert systems: what the numbers of a selection suggest to change, in DLProf's order and,
// where DLProf's texts are known, in its words (features.md, section 5.1; dlprof-database.md,
// section 7).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"

namespace dlview::aggregate {

// Eligible ops with this data type cannot use Tensor Cores (op_nodes.is_bad_data_type).
inline constexpr std::string_view kBadDataType = "float32";

// decisions.md 12: dlview's own thresholds, not NVIDIA's.
struct AdviceThresholds {
  double gpu_utilization_percent = 50.0;  // below: the GPU is underutilized
  double gpu_memory_percent = 50.0;       // below: a larger batch would fit
  double data_loader_percent = 10.0;      // at or above: the data loader is in the way
  double iteration_variation = 0.5;       // (p95 - p5) / median above: the range is not steady
  // Above: a finding beside DLProf's advice.
  double exposed_communication_percent = 10.0;
  double outside_percent = 10.0;  // of all kernels, or of their time: outside every iteration
};

std::vector<Advice> advise(const profile::Profile& profile, const Aggregation& aggregation,
                           const AdviceThresholds& thresholds = {});

// The longest range that leaves out irregular iterations at both ends (warm-up, a cut-off tail): it
// begins and ends with five iterations in a row whose durations are within 10 % of the median, or
// within three median absolute deviations where the run is less even than that. What is irregular
// in between stays. Nothing when there is no such place or there are fewer than ten iterations.
std::optional<IterationRange> steady_range(const Iterations& iterations);

}  // namespace dlview::aggregate
