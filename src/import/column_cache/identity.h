// The identity of cached columns: one file of the user, in one state.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace dlview::import::column_cache {

struct Identity {
  std::string name;  // of the cache file, the same for every state of the file
  // Path, size, time of the last change and first bytes: differs once the file was changed.
  std::string state;
  bool operator==(const Identity&) const = default;
};

// Returns nullopt if the path is not a regular file, or if a -wal or -journal holds a part of the
// database.
std::optional<Identity> identity_of(const std::filesystem::path& path);

}  // namespace dlview::import::column_cache
