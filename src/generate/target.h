// The file that a generated database is to become.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace dlview::generate {

enum class IfExists { fail, replace };

// An Error when the path is a folder, or a file that must not be replaced.
base::Status check_target(const std::filesystem::path& path, IfExists if_exists);

}  // namespace dlview::generate
