// The cost of each blocking call for the GPU: fills in RuleCall::saved_ns (saved_idle.h).
#pragma once

#include <vector>

#include "aggregate/gaps/idle_gaps.h"
#include "aggregate/rules/blocking_calls.h"
#include "aggregate/rules/gpu_events.h"

namespace dlview::aggregate {

// Calls of one rule are taken away together, all others stay. Copies and memsets of a rule go with
// its calls: a gap reaches from the work before them to the work after them. What runs in streams
// without kernels, such as a batch that is copied ahead, does not fill a gap. Gaps in which the
// host waits for data, and gaps that work without a recorded call ends, count nowhere.
void find_call_savings(const profile::Profile& profile, const std::vector<GpuEvents>& gpus,
                       const IdleGaps& idle_gaps, BlockingCalls& found);

}  // namespace dlview::aggregate
