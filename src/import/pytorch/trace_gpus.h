// The GPUs of a trace, by its header and by the events on them.
#pragma once

#include "import/pytorch/call_order.h"
#include "import/pytorch/trace_events.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::pytorch {

// By the header, else by the names of calls and GPUs.
profile::Vendor vendor_of(const TraceHeader& header, const CallOrder& calls,
                          const profile::ProfileBuilder& builder);

// Adds the GPUs to a trace that has its GPU activity.
void add_gpus(const TraceEvents& events, profile::Vendor vendor, profile::Trace& trace);

}  // namespace dlview::import::pytorch
