// Columns of the allocations and the values of counters in a trace.
#pragma once

#include <cstdint>
#include <vector>

#include "import/pytorch/trace_events.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::pytorch {

struct SampledRows {
  const TraceEvents& events;
  const profile::ProfileBuilder& builder;
  int64_t origin_ns = 0;                          // of the times of the trace
  const std::vector<profile::ThreadId>& threads;  // by thread of an event
  profile::Trace& trace;                          // gets the columns
};
// Those of equal times in the order of the file.
void add_allocations(const SampledRows& rows);
// By series in the order of the file. Those of equal times in the order of the file. Needs the
// trace's GPUs.
void add_counters(const SampledRows& rows);

}  // namespace dlview::import::pytorch
