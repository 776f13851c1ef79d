// The DLProf database whose stored numbers are verified.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "base/result.h"
#include "import/dlprof/stored_tables.h"

namespace dlview::verify {

// Opens it. For any other profile the error says what `verify` is for and what to do instead.
// `progress` must outlive the result.
base::Result<import::dlprof::StoredTables> open_stored_database(const std::filesystem::path& path,
                                                                base::Progress& progress);

}  // namespace dlview::verify
