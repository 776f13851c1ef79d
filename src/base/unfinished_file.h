// UnfinishedFile: a file that gets its name only when it is complete. Readers see the old file or
// the whole new one, and nothing is left behind when writing fails or the process is killed: until
// then the file has no name at all (O_TMPFILE), or where the file system cannot do that, a name
// nobody can guess. Used by everything that writes files for the user.
//
// What is written where, by the target:
//   nothing, or a regular file     a new file, with the mode (and as far as possible the owner) of
//                                  the one it replaces
//   a symbolic link to such a file the file that it leads to; the link stays
//   a pipe or a character device   the target itself, as it comes; it is never replaced
//   /dev/stdout, /dev/fd/N         the open descriptor, at its position
//   anything else                  an Error: folders, block devices, sockets, links to nothing
#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "base/result.h"

namespace dlview::base {

class UnfinishedFile {
 public:
  // Begins an empty file. The Error says why that cannot be, with the target's name. Opening a FIFO
  // waits for its reader.
  static Result<UnfinishedFile> create(const std::filesystem::path& target);
  // The same under a name beside the target, for a library that follows links before it opens a
  // file (SQLite). Only for what is, or will be, a regular file.
  static Result<UnfinishedFile> create_named(const std::filesystem::path& target);

  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  // The file goes unless finish() named it.
  ~UnfinishedFile();

  // Write here, or
  std::ostream& out();
  // give a library this path: of a regular file that can be written at any place, to be closed
  // before finish(). Not both.
  const std::filesystem::path& path();

  // Flushes, and gives the file the target's name, in place of an older file.
  Status finish();

  // "A file cannot be written", for a writer that fails on its way.
  Error error(const std::string& reason) const;

 private:
  struct State;
  explicit UnfinishedFile(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace dlview::base
