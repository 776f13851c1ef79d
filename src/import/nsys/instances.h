// Instances of ops: from spans of ranges, and from the calls whose work lies outside every op.
#pragma once

#include <span>

#include "base/untouched_vector.h"
#include "import/nsys/call_index.h"
#include "import/nsys/call_names.h"
#include "import/nsys/op_list.h"
#include "import/nsys/op_spans.h"
#include "import/nsys/trace_notes.h"
#include "import/nsys/work.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

// Numbers in an OpList; kNoRow = the event belongs to none.
struct EventInstances {
  base::UntouchedVector<profile::Row> of_call;  // by row of TraceApiCalls
  base::UntouchedVector<profile::Row> of_work;  // by place in the list of work
  // Kernels and memory operations of threads without ranges that another thread waited for.
  int64_t given_work = 0;
};

struct Capture {
  const profile::Trace& trace;
  const NvtxRanges& ranges;
  const OpSpans& spans;
  const CallIndex& calls;
  std::span<const Work> work;
};

// Adds the instances to `ops`. Work outside every op whose time is more than can be counted is
// noted and belongs to none.
EventInstances make_instances(const Capture& capture, CallNames& names,
                              profile::ProfileBuilder& builder, OpList& ops,
                              const TraceNotes& notes);

}  // namespace dlview::import::nsys
