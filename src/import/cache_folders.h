// Where dlview may keep files of its own that it makes while it opens a user's file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace dlview::import {

// $XDG_CACHE_HOME/dlview or ~/.cache/dlview, where files stay from one run to the next. It need not
// exist; empty when the user has none.
std::filesystem::path lasting_cache_folder();

// The lasting one, then a folder of the user's in the system's temporary one: the first one that
// can be used is to be taken. The last is made here, and left out where someone else could read it
// or has put something else in its place.
std::vector<std::filesystem::path> cache_folders();

// Whether it is a folder, no link to one, of this user, where nobody else may put files.
bool is_private_folder(const std::filesystem::path& folder);

// Whether dlview gave a file of its cache this name: TEXT-HASH.EXTENSION, with 16 hexadecimal
// digits. Nothing else in a cache folder is dlview's to remove.
bool is_cache_name(std::string_view name, std::string_view extension);

struct CacheFile {
  std::filesystem::path path;
  int64_t bytes = 0;
  std::filesystem::file_time_type last_used;
};

}  // namespace dlview::import
