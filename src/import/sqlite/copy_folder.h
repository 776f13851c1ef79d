// A fresh folder that only this user can read, for a private copy of a database; removed with all
// that is in it when the object dies. A lock on it tells other processes that it is in use, so what
// a killed process leaves behind is found and removed at the next start.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace dlview::import::sqlite {

class CopyFolder {
 public:
  // Inside the first of $XDG_CACHE_HOME or ~/.cache and the system's temporary folder that has
  // enough space; `path` is the database to be copied, for messages.
  static base::Result<CopyFolder> make(const std::filesystem::path& path, int64_t needed_bytes);

  CopyFolder(CopyFolder&& other) noexcept;
  CopyFolder& operator=(CopyFolder&& other) noexcept;
  ~CopyFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  CopyFolder(std::filesystem::path path, int lock);

  std::filesystem::path path_;  // empty: nothing to remove
  int lock_ = -1;               // file descriptor of the folder
};

// Removes the folders that processes left which are no more. Never fails.
void remove_abandoned_copies();

}  // namespace dlview::import::sqlite
