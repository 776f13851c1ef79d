// In which op's stretch of its thread a call began.
#pragma once

#include "base/untouched_vector.h"
#include "import/capture/call_index.h"
#include "import/capture/op_spans.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// By row of TraceApiCalls: the place in OpSpans::spans, kNoRow = none.
base::UntouchedVector<profile::Row> spans_of_calls(const profile::Trace& trace,
                                                   const CallIndex& index, const OpSpans& all);

}  // namespace dlview::import::capture
