// Lists what a PyTorch profiler trace lacks, with the option of the profiler that records it.
#pragma once

#include <vector>

#include "import/pytorch/trace_events.h"
#include "profile/profile.h"

namespace dlview::import::pytorch {

// `trace` and `profile` come from `events`, whose synchronization events may be freed.
std::vector<profile::NotRecorded> list_not_recorded(const TraceEvents& events, bool has_cuda_syncs,
                                                    const profile::Trace& trace,
                                                    const profile::Profile& profile);

}  // namespace dlview::import::pytorch
