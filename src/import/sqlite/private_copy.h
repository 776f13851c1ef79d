// A copy of a database and its companions in a fresh folder of the user's cache, so that SQLite may
// recover a -wal or roll back a -journal there and never beside the original. Removed with its
// folder when the object dies.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "base/result.h"
#include "import/sqlite/inspect.h"

namespace dlview::import::sqlite {

class PrivateCopy {
 public:
  // Checks first that there is space, and last that nobody wrote to the originals meanwhile; `path`
  // is for messages. Looks for a folder in $XDG_CACHE_HOME, ~/.cache and the system's temporary
  // one.
  static base::Result<PrivateCopy> make(const std::filesystem::path& path,
                                        const Inspection& original, base::Progress& progress);

  PrivateCopy(PrivateCopy&& other) noexcept;
  PrivateCopy& operator=(PrivateCopy&& other) noexcept;
  ~PrivateCopy();

  std::filesystem::path database() const { return folder_ / "copy.sqlite"; }

 private:
  explicit PrivateCopy(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;  // empty: nothing to remove
};

}  // namespace dlview::import::sqlite
