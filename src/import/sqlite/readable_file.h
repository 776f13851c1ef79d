// Makes something that SQLite can open out of the user's path without ever touching the user's file
// or folder: the file itself, declared immutable, when nothing beside it belongs to it; otherwise a
// private copy.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "import/sqlite/inspect.h"
#include "import/sqlite/private_copy.h"

namespace dlview::import::sqlite {

class ReadableFile {
 public:
  static base::Result<ReadableFile> make(const std::filesystem::path& path,
                                         base::Progress& progress);

  const std::filesystem::path& path() const { return path_; }  // as the user gave it
  int64_t bytes() const { return bytes_; }
  // Where the user's file lies: absolute, symbolic links resolved.
  const std::filesystem::path& database() const { return database_; }

  // An SQLite URI, every unusual byte of the path percent-encoded.
  std::string uri() const;
  bool is_private_copy() const { return copy_.has_value(); }

  // Whether somebody wrote to the user's file since make(): then what was read from it in place may
  // be a mixture. Always false for a private copy.
  bool has_changed() const;

 private:
  ReadableFile() = default;

  std::filesystem::path path_, database_;
  int64_t bytes_ = 0;
  Stamps stamps_;
  std::optional<PrivateCopy> copy_;
};

}  // namespace dlview::import::sqlite
