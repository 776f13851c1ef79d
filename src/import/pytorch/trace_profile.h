// Converts the events of a PyTorch profiler trace to a Profile.
#pragma once

#include "import/pytorch/trace_events.h"
#include "import/quality_log.h"
#include "profile/builder.h"
#include "profile/profile.h"

namespace dlview::import::pytorch {

// `builder` has the texts of `events`; its `source` is set, but for the rules of Tensor Cores.
profile::Profile profile_of(TraceEvents&& events, profile::ProfileBuilder&& builder,
                            QualityLog&& quality);

}  // namespace dlview::import::pytorch
