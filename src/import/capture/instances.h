// Instances of ops: from spans of ranges, and from the calls whose work lies outside every op.
#pragma once

#include <span>

#include "base/untouched_vector.h"
#include "import/capture/backward_threads.h"
#include "import/capture/names.h"
#include "import/capture/op_list.h"
#include "import/capture/op_spans.h"
#include "import/capture/trace_rows.h"
#include "import/capture/work.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// Numbers in an OpList; kNoRow = the event belongs to none.
struct EventInstances {
  base::UntouchedVector<profile::Row> of_call;  // by row of TraceApiCalls
  base::UntouchedVector<profile::Row> of_work;  // by place in the list of work
  // Kernels and memory operations of threads without ranges: those that another thread waited for,
  // and those of ops "backward (thread N)".
  int64_t given_work = 0, backward_work = 0;
};

struct Capture {
  const profile::Trace& trace;
  const NvtxRanges& ranges;
  const OpSpans& spans;
  std::span<const Work> work;
  const KernelNameIds& kernel_names;
  const std::vector<bool>& is_given;  // to a range of another thread, by row of TraceApiCalls
  const std::vector<BackwardStretch>& backward;
};

// Adds the instances to `ops`. `span_of_call` is by row of TraceApiCalls; calls of
// Capture::backward have none. Work outside every op whose time is more than can be counted is
// noted and belongs to none.
EventInstances make_instances(const Capture& capture,
                              base::UntouchedVector<profile::Row> span_of_call, CallNames& names,
                              profile::ProfileBuilder& builder, OpList& ops,
                              const TraceNotes& notes);

}  // namespace dlview::import::capture
