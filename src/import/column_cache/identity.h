// What a kept set of columns belongs to: one file of the user's, at one state.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace dlview::import::column_cache {

struct Identity {
  std::string name;   // of the cache file, the same for every state of the file
  std::string state;  // path, size, time of the last change and header; differs once it was changed
  bool operator==(const Identity&) const = default;
};

// Nothing for what is no database at rest: a part of one with a -wal or -journal beside it lies in
// another file.
std::optional<Identity> identity_of(const std::filesystem::path& path);

}  // namespace dlview::import::column_cache
