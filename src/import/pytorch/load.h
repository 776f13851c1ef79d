// Opens a trace of the PyTorch profiler.
#pragma once

#include "base/progress.h"
#include "base/result.h"
#include "import/byte_source.h"
#include "profile/profile.h"

namespace dlview::import::pytorch {

// Reads a trace into a Profile. Fails if it has no event of PyTorch, and on cancel. The error for a
// folder of traces names one of them.
base::Result<profile::Profile> load_trace(const ByteSource& source, base::Progress& progress);

}  // namespace dlview::import::pytorch
