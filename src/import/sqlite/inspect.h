// Checks a file before SQLite reads it: can it be an SQLite database, and which files next to it
// contain a part of its contents? Reads the first bytes and file attributes only.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"

namespace dlview::import::sqlite {

struct Inspection {
  std::filesystem::path database;  // absolute, symbolic links resolved, as SQLite resolves them
  int64_t bytes = 0;
  // The -wal file or the hot -journal file, or both, without which the database is not up to date.
  std::vector<std::filesystem::path> companions;
};

// An Error for everything that is not a readable, whole SQLite database at rest: missing, a folder,
// no permission, empty, truncated, text, binary, being written at this moment.
base::Result<Inspection> inspect(const std::filesystem::path& path);

// Attributes of the database and its possible companions; equal stamps mean that nobody wrote.
struct FileStamp {
  int64_t bytes = -1;  // -1: no such file
  int64_t modified_ns = 0;
  uint64_t inode = 0;
  bool operator==(const FileStamp&) const = default;
};
using Stamps = std::array<FileStamp, 3>;
Stamps stamps_of(const std::filesystem::path& database);
int64_t total_bytes(const Stamps& stamps);

}  // namespace dlview::import::sqlite
