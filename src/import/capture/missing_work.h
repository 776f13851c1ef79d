// What a capture has only one half of: work whose launch it missed, launches whose kernels it
// missed.
#pragma once

#include <span>

#include "import/capture/call_index.h"
#include "import/capture/work.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// Lists both under what was not recorded, as far as the capture has calls and kernels at all.
void note_missing_work(const profile::Trace& trace, const CallIndex& calls,
                       std::span<const Work> work, profile::ProfileBuilder& builder);

}  // namespace dlview::import::capture
