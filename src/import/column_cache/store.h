// Writes the columns of a profile into the cache.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "import/column_cache/folder.h"
#include "import/column_cache/identity.h"
#include "profile/profile.h"

namespace dlview::import::column_cache {

// Stores the columns. restore() returns `beside` with the profile. The file gets its name only when
// it is complete and on the disk. The Error is for tests and logs: without a cache file nothing is
// lost. `stop` ends it within the time of writing some megabytes.
base::Status store(const profile::Profile& profile, const Identity& identity,
                   const std::filesystem::path& folder, const Limits& limits,
                   const std::stop_token& stop, const std::string& beside = {});

}  // namespace dlview::import::column_cache
