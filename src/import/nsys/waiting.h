// Work that a thread without ranges launches while another one waits for it (docs/decisions.md 49):
// PyTorch's autograd engine launches the backward pass on a thread of its own, and the program's
// thread stands in its range "Backward" until that is done.
#pragma once

#include <vector>

#include "import/nsys/call_index.h"
#include "import/nsys/op_spans.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

// Sets `span_of_call`, by row of TraceApiCalls, where it is kNoRow and exactly one other thread of
// the process has a user's range open and calls CUDA neither between the first and the last call
// that it would be given in that stretch nor around them. Returns which calls were given.
std::vector<bool> give_calls_to_waiting(const profile::Trace& trace, const CallIndex& calls,
                                        const OpSpans& spans,
                                        base::UntouchedVector<profile::Row>& span_of_call);

}  // namespace dlview::import::nsys
