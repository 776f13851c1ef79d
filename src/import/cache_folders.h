// Where dlview may keep files of its own that it makes while it opens a user's file.
#pragma once

#include <filesystem>
#include <vector>

namespace dlview::import {

// $XDG_CACHE_HOME/dlview or ~/.cache/dlview, then a folder of the user's in the system's temporary
// one: the first one that can be used is to be taken. The first need not exist; the last is made
// here, and left out where someone else could read it or has put something else in its place.
std::vector<std::filesystem::path> cache_folders();

}  // namespace dlview::import
