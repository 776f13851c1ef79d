// From the events of a capture to ops: NVTX ranges become ops and their instances, GPU work and API
// calls go to the instance in which their call began. What each kind of range gives is told in
// docs/dev/spec.md, 14, 15 and 36 to 43.
#pragma once

#include "import/capture/devices.h"
#include "import/capture/trace_rows.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// Adds ops, instances, kernels, memory operations, syncs and API calls to `builder`, whose devices
// are those of `devices` and whose strings are those of `trace`. Sets system.model_config where a
// marker tells it. What cannot be used is noted.
void build_ops(const profile::Trace& trace, const DeviceRows& devices,
               profile::ProfileBuilder& builder, const TraceNotes& notes);

}  // namespace dlview::import::capture
