// A copy of a database and its companions in a fresh folder of the user's cache, so that SQLite may
// recover a -wal or roll back a -journal there and never beside the original. Removed with its
// folder when the object dies.
#pragma once

#include <filesystem>
#include <utility>

#include "base/progress.h"
#include "base/result.h"
#include "import/sqlite/copy_folder.h"
#include "import/sqlite/inspect.h"

namespace dlview::import::sqlite {

class PrivateCopy {
 public:
  // Checks first that there is space, and last that nobody wrote to the originals meanwhile; `path`
  // is for messages.
  static base::Result<PrivateCopy> make(const std::filesystem::path& path,
                                        const Inspection& original, base::Progress& progress);

  std::filesystem::path database() const { return folder_.path() / "copy.sqlite"; }

 private:
  explicit PrivateCopy(CopyFolder folder) : folder_(std::move(folder)) {}

  CopyFolder folder_;
};

}  // namespace dlview::import::sqlite
