// Files written through a stream that are either complete or not there (base/unfinished_file.h).
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>

#include "base/result.h"

namespace dlview::report {

// Lets `write` fill a file that takes the place of `path` when all of it has been written. On
// failure nothing is left behind and an older file stays as it was.
base::Status write_file(const std::filesystem::path& path,
                        const std::function<void(std::ostream& out)>& write);

}  // namespace dlview::report
