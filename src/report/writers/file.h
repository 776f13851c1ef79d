// Files that are either complete or not there.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>

#include "base/result.h"

namespace dlview::report {

// Lets `write` fill a new file beside `path` and renames it to `path` when all of it has arrived on
// the disk's side. On failure nothing is left behind and an older file stays as it was.
base::Status write_file(const std::filesystem::path& path,
                        const std::function<void(std::ostream& out)>& write);

}  // namespace dlview::report
