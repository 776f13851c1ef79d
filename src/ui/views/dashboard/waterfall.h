// The breakdown of the mean iteration as a waterfall: each category begins where the previous one
// ends, and all together last as long as the iteration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/metrics.h"
#include "profile/profile.h"
#include "ui/look.h"
#include "ui/theme.h"

namespace dlview::ui {

struct WaterfallStep {
  std::string id, label;     // "data_loader", "Data loader"
  std::string value, share;  // "6.91 ms", "10.3%"; or "not recorded" and ""
  std::string full;          // "338,590,000 ns in the range · 10.286314% · ..."
  aggregate::MetricId metric;
  Tone tone = Tone::other;
  int64_t start_ns = 0, duration_ns = 0;         // within the mean iteration
  bool is_recorded = true;                       // false: the step has no duration
  std::optional<aggregate::Filter> filter = {};  // matches what the step counts
  std::string hint = {};                         // for the tooltip of what was not recorded
};

struct Waterfall {
  int64_t mean_ns = 0;          // duration of the mean iteration, to which all steps add up
  std::string mean, full_mean;  // "69.2 ms", "69,183,673 ns"
  std::string detail;           // "mean of 49 iterations and 4 GPUs"; empty: of one
  std::vector<WaterfallStep> steps;
  // "Communication 2.04 ms (2.9%): ..."; empty if no kernel of the run communicates.
  std::string communication, full_communication;
  std::string unknown_use;   // how much of the kernels may use Tensor Cores; empty: less than 1%
  std::string data_loading;  // where its time counts if it was not recorded; else empty
  std::string why_none;      // set if there are no steps
};

// Means over the iterations of the range and the GPUs that match the filters. As in
// IterationFacts, times are rounded down and Other takes the rest. Exposed communication is a step
// of its own, taken from the kernels. `unknown_ns`: GPU time of kernels whose use of Tensor Cores
// is unknown, if that is known already.
Waterfall prepare_waterfall(const profile::Profile& profile,
                            const aggregate::Aggregation& aggregation,
                            std::optional<int64_t> unknown_ns = std::nullopt);

// A click on a step with a filter toggles it. Returns the bottom.
float draw_waterfall(Frame& frame, const Area& area, const Waterfall& waterfall);

}  // namespace dlview::ui
