// Overlay: an SQLite VFS for one database that has a -wal or -journal next to it. SQLite reads the
// user's files through it and may recover them: its writes go to an unnamed temporary file, and no
// other path can be opened, created or removed. Costs disk space for what a journal rolls back, and
// none for a -wal.
#pragma once

#include <filesystem>
#include <memory>

#include "base/progress.h"
#include "base/result.h"
#include "import/sqlite/inspect.h"

namespace dlview::import::sqlite {

class Overlay {
 public:
  struct Vfs;

  // An Error when a companion cannot be read, or when the journal belongs to a transaction over
  // several databases: SQLite would look at them and remove the file that the journal names.
  // `path` is for messages. Reads end with SQLITE_INTERRUPT once `progress`, which must outlive
  // the connections, is canceled.
  static base::Result<Overlay> make(const std::filesystem::path& path, const Inspection& original,
                                    const base::Progress& progress);
  Overlay(Overlay&& other) noexcept;
  Overlay& operator=(Overlay&& other) noexcept;
  // After the last connection.
  ~Overlay();

  // For sqlite3_open_v2(); valid as long as the object. Any number of connections on any threads
  // share what the first one has recovered. They must begin with "PRAGMA locking_mode = EXCLUSIVE":
  // the VFS has no shared memory and no locks.
  const char* vfs_name() const;

 private:
  explicit Overlay(std::unique_ptr<Vfs> vfs);

  std::unique_ptr<Vfs> vfs_;
};

}  // namespace dlview::import::sqlite
