// Reads an Nsight Systems export into a Profile with a Trace.
#pragma once

#include "base/progress.h"
#include "base/result.h"
#include "import/sqlite/database.h"
#include "profile/profile.h"

namespace dlview::import::nsys {

// An Error when there is neither CUDA work nor an NVTX range, when the file is damaged and on
// cancel.
base::Result<profile::Profile> load(const sqlite::Database& database, base::Progress& progress);

}  // namespace dlview::import::nsys
