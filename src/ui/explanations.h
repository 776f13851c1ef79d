// Shared texts that explain ops, and what the host did while a GPU was idle.
#pragma once

#include <string>
#include <string_view>

#include "aggregate/aggregation.h"
#include "aggregate/gaps/idle_gaps.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/profile.h"
#include "profile/tensor_core_verdicts.h"

namespace dlview::ui {

// What is said of an op in words, the same in the details pane and in the inspector.

// "used by 2 of 3 kernels", "eligible, but not used", "not eligible", "unknown: ..."; `op` is null
// where it does not run in the range, and `unknown` until it is known.
std::string tensor_core_text(const profile::Profile& profile, profile::OpIndex row,
                             const aggregate::OpAggregate* op,
                             const aggregate::UnknownTensorCoreUse* unknown);

// "used · rule MMA shape", "unknown · rule Triton", "not used · the rules say yes"; `counted` tells
// whether the kernel counts as using them.
std::string tensor_core_text(const profile::Profile& profile, bool counted,
                             profile::KernelIndex kernel);

// Why work stands under this op, where that is no op of the program's; "" for all others.
std::string_view explain_op(const profile::Profile& profile, profile::OpIndex row);

// What the host did while a GPU did nothing, in words.

// "data loading for 70 ms"; of work that was "already launched" the GPU's pause no time.
std::string host_cause_text(const aggregate::HostTime& host);
// "data loading for 70 ms, in next_batch"
std::string host_text(const profile::Profile& profile, const aggregate::HostTime& host);

}  // namespace dlview::ui
