// Arranges the events of a PyTorch profiler trace as the columns of a profile::Trace.
#pragma once

#include <string_view>
#include <vector>

#include "import/pytorch/trace_events.h"
#include "import/quality_log.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::pytorch {

// Kinds of a copy or a memset, from its name, "Memcpy HtoD (Pageable -> Device)", or the direction
// of MTIA's copies, "DEVICE_TO_HOST". not_recorded or unknown where the text does not have them.
struct MemoryKinds {
  profile::CopyKind copy = profile::CopyKind::unknown;
  profile::MemoryKind source = profile::MemoryKind::not_recorded;
  profile::MemoryKind target = profile::MemoryKind::not_recorded;
  bool operator==(const MemoryKinds&) const = default;
};
MemoryKinds memory_kinds_of(std::string_view text);

// "12.9" of "12090", "HIP 6.4.43483" of "60443483"; other texts as they are.
std::string cuda_version_of(std::string_view recorded);
std::string hip_version_of(std::string_view recorded);

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
