// Converts the events of a capture to ops: ranges become ops and their instances; GPU activity and
// API calls belong to the instance in which their call began. docs/dev/spec.md 14, 15 and 36 to 43
// define the result of each kind of range.
#pragma once

#include "base/untouched_vector.h"
#include "import/capture/call_index.h"
#include "import/capture/devices.h"
#include "import/capture/nvtx_ranges.h"
#include "import/capture/op_spans.h"
#include "import/capture/trace_rows.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// Supplies the ranges of a capture, and the stretches of threads that are instances of ops. Its
// functions are called once each, in this order.
class OpSource {
 public:
  OpSource() = default;
  OpSource(const OpSource&) = delete;
  OpSource& operator=(const OpSource&) = delete;
  virtual ~OpSource() = default;

  // May add names to the builder.
  virtual NvtxRanges read_ranges() = 0;
  virtual OpSpans find_spans(const NvtxRanges& ranges) = 0;
  // As capture::spans_of_calls().
  virtual base::UntouchedVector<profile::Row> spans_of_calls(const CallIndex& calls,
                                                             const OpSpans& spans) = 0;
  // Returns whether threads launch GPU activity outside their own ranges for another thread that
  // waits for them. False if each thread has its own ops.
  virtual bool has_threads_without_ops() const = 0;
};

// Adds ops, instances, kernels, memory operations, syncs and API calls to `builder`, whose devices
// are those of `devices` and whose strings are those of `trace`. Sets system.model_config from
// markers. Notes what cannot be used.
void build_ops(const profile::Trace& trace, const DeviceRows& devices,
               profile::ProfileBuilder& builder, const TraceNotes& notes, OpSource& source);

// As above. NVTX ranges are the source: their texts tell which of them are ops.
void build_ops(const profile::Trace& trace, const DeviceRows& devices,
               profile::ProfileBuilder& builder, const TraceNotes& notes);

}  // namespace dlview::import::capture
