// Where dlview may keep files of its own that it makes while it opens a user's file.
#pragma once

#include <filesystem>
#include <vector>

namespace dlview::import {

// $XDG_CACHE_HOME/dlview or ~/.cache/dlview, then the system's temporary folder: the first one that
// can be used is to be taken. They need not exist.
std::vector<std::filesystem::path> cache_folders();

}  // namespace dlview::import
