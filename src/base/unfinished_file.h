// UnfinishedFile: a file that gets its name only when it is complete. Readers see the old file or
// the whole new one. Nothing remains if writing fails or the process is killed: until then the file
// has no name (O_TMPFILE) or, on file systems without that, a random one. All code that writes
// files for the user uses it.
//
// Where the data goes, by the target:
//   none, or a regular file        a new file, with the mode (and as far as possible the owner) of
//                                  the one it replaces
//   a symbolic link to such a file the file that it leads to; the link stays
//   a pipe or a character device   the target itself, as it comes; it is never replaced
//   /dev/stdout, /dev/fd/N         the open descriptor, at its position
//   anything else                  an Error: folders, block devices, sockets, broken links
#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "base/result.h"

namespace dlview::base {

class UnfinishedFile {
 public:
  // Creates an empty file. The Error has the reason and the target's name. Opening a FIFO waits for
  // its reader.
  static Result<UnfinishedFile> create(const std::filesystem::path& target);
  // As create(), with a temporary name next to the target, for a library that follows links before
  // it opens a file (SQLite). Only if the target is, or will be, a regular file.
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
