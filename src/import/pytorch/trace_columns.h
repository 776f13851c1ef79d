// Arranges the events of a PyTorch profiler trace as the columns of a profile::Trace.
#pragma once

#include <string_view>
#include <vector>

#include "import/pytorch/trace_events.h"
#include "import/quality_log.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::pytorch {

struct ArrangedTrace {
  profile::Trace trace;
  std::vector<profile::ThreadId> threads;  // of TraceEvents::threads
};

// Times count from the smallest start of all events but those of the category "Trace". Rows are in
// the order of `events`, calls in order of start, memory events in order of time, and NVTX ranges
// are host events, then modules. Collectives are those of find_collectives(), then kernels that
// communicate without one. A GPU activity belongs to the process of the call with its correlation;
// of calls of several processes, to the one whose calls caused all other activity of that GPU.
// Launches and calls give what kernels do not have: AMD's kernels their grid, and calls named for
// it synchronizations. Frees the events that are not needed for ops: only `threads`, `host`,
// `op_inputs`, `modules`, `collectives`, `allocations`, `counters` and the header remain.
ArrangedTrace arrange_trace(TraceEvents& events, profile::ProfileBuilder& builder,
                            QualityLog& quality);

}  // namespace dlview::import::pytorch
