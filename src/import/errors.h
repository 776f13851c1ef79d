// The errors that more than one format meets: the job was canceled, or SQLite could not go on.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace dlview::import {

// The path in quotes, as the user gave it.
std::string quoted(const std::filesystem::path& path);

base::Error canceled(const std::filesystem::path& path);

// For a result code of SQLite, with its own words about what happened. SQLITE_INTERRUPT is how a
// canceled job ends.
base::Error sqlite_error(const std::filesystem::path& path, int result_code,
                         const std::string& message);

}  // namespace dlview::import
