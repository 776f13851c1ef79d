// Where dlview may keep files of its own that it makes while it opens a user's file.
#pragma once

#include <filesystem>
#include <vector>

namespace dlview::import {

// $XDG_CACHE_HOME/dlview or ~/.cache/dlview, where files stay from one run to the next. It need not
// exist; empty when the user has none.
std::filesystem::path lasting_cache_folder();

// The lasting one, then a folder of the user's in the system's temporary one: the first one that
// can be used is to be taken. The last is made here, and left out where someone else could read it
// or has put something else in its place.
std::vector<std::filesystem::path> cache_folders();

}  // namespace dlview::import
