// Converts the events of a capture to ops: NVTX ranges become ops and their instances; GPU activity
// and API calls belong to the instance in which their call began. docs/dev/spec.md 14, 15 and 36 to
// 43 define the result of each kind of range.
#pragma once

#include "import/capture/devices.h"
#include "import/capture/trace_rows.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// Adds ops, instances, kernels, memory operations, syncs and API calls to `builder`, whose devices
// are those of `devices` and whose strings are those of `trace`. Sets system.model_config from
// markers. Notes what cannot be used.
void build_ops(const profile::Trace& trace, const DeviceRows& devices,
               profile::ProfileBuilder& builder, const TraceNotes& notes);

}  // namespace dlview::import::capture
