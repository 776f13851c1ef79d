// Reads the Python frames of a trace of the PyTorch profiler, which open_profile() skips.
#pragma once

#include "base/progress.h"
#include "base/result.h"
#include "profile/profile.h"
#include "profile/python_frames.h"

namespace dlview::import::pytorch {

// Reads the profile's file again, with all frames. Fails if the profile has no frames, if the file
// has changed or cannot be read, and on cancel. The profile may come from the column cache.
base::Result<profile::PythonFrames> read_python_frames(const profile::Profile& profile,
                                                       base::Progress& progress);

}  // namespace dlview::import::pytorch
