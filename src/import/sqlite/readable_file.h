// Lets SQLite open the user's path without changing the user's file or folder: as an immutable file
// if no file next to it belongs to it, else through an Overlay.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "import/sqlite/inspect.h"
#include "import/sqlite/overlay.h"

namespace dlview::import::sqlite {

class ReadableFile {
 public:
  static base::Result<ReadableFile> make(const std::filesystem::path& path,
                                         base::Progress& progress);

  const std::filesystem::path& path() const { return path_; }  // as the user gave it
  int64_t bytes() const { return bytes_; }
  // With those of its -wal and -journal.
  int64_t total_bytes() const { return sqlite::total_bytes(stamps_); }
  // Where the user's file lies: absolute, symbolic links resolved.
  const std::filesystem::path& database() const { return database_; }

  // An SQLite URI, every unusual byte of the path percent-encoded, and the VFS to open it with;
  // null for SQLite's own.
  std::string uri() const;
  const char* vfs_name() const { return overlay_ ? overlay_->vfs_name() : nullptr; }
  // Whether a -wal or -journal holds a part of the contents.
  bool has_companions() const { return overlay_.has_value(); }

  // Whether somebody wrote to the user's files since make(): then what was read may be a mixture.
  bool has_changed() const;

 private:
  ReadableFile() = default;

  std::filesystem::path path_, database_;
  int64_t bytes_ = 0;
  Stamps stamps_;
  std::optional<Overlay> overlay_;
};

}  // namespace dlview::import::sqlite
