// A DLProf database to a Profile: the raw tables, row by row, straight into the builder.
#pragma once

#include "base/progress.h"
#include "base/result.h"
#include "import/sqlite/database.h"
#include "profile/profile.h"

namespace dlview::import::dlprof {

// For a database that recognize() accepted.
base::Result<profile::Profile> load(const sqlite::Database& database, base::Progress& progress);

}  // namespace dlview::import::dlprof
