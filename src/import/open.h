// The front door for files: looks at the content, not at the name, and returns a Profile or an
// Error that says what is wrong and what to do. Never writes to the user's file or folder.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include "base/progress.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "import/column_cache/identity.h"
#include "import/column_cache/restore.h"
#include "import/importer.h"
#include "profile/profile.h"

namespace dlview::import {

// Safe to call on any thread; `progress` may be watched and canceled from another one. A canceled
// job returns an Error titled "Canceled".
base::Result<profile::Profile> open_profile(const std::filesystem::path& path,
                                            base::Progress& progress,
                                            std::span<const Importer> registry = importers());
// Returns the error with which open_profile() would refuse the file at first sight: it does not
// exist, cannot be read or has no known format. Reads no rows.
base::Status check_format(const std::filesystem::path& path);
// As open_profile(), but std::bad_alloc passes through: for an importer that opens another file.
base::Result<profile::Profile> open_or_throw(const std::filesystem::path& path,
                                             base::Progress& progress);

// Opens a file through the cache of columns: from the cache if it is there, else as open_profile().
// Only one thread at a time may use it.
class CachedFile {
 public:
  explicit CachedFile(std::filesystem::path path) : path_(std::move(path)) {}

  // Begins to look into the cache, in a task, for an open() that comes soon.
  void look_ahead(base::Scheduler& scheduler);
  base::Result<profile::Profile> open(base::Progress& progress);

  // Bytes that the program caches with the columns: after open() those from the cache, else empty
  // until they are set for maintain() to store.
  const std::string& beside() const { return beside_; }
  void set_beside(std::string beside) { beside_ = std::move(beside); }

  // Removes the cache file of the profile: the next opening reads the profile again.
  void remove_cached() const;

  // Maintenance of the cache while the profile is in use: check the cached columns, or store them.
  enum class Maintenance { none, check, store };
  Maintenance maintenance() const;
  // Why there is no maintenance after open(), in words.
  const char* why_not_cached() const { return why_not_cached_; }
  // Checks the columns that came from the cache, or stores those that were read; `profile` is the
  // one that open() returned. Returns false if the cached columns are corrupt; the next open() then
  // reads the file. Ignores that columns cannot be stored.
  bool maintain(const profile::Profile& profile, const std::stop_token& stop);

 private:
  struct Found {
    std::optional<column_cache::Identity> identity;  // nullopt: it cannot be cached
    std::optional<column_cache::Restored> restored;
  };
  static Found look_up(const std::filesystem::path& path);
  Found take_ahead();
  base::Result<profile::Profile> restore_or_read(base::Progress& progress);

  std::filesystem::path path_;
  base::Task<Found> ahead_;  // of path_
  std::string beside_;
  const char* why_not_cached_ = "";
  std::filesystem::path kept_;  // the cache file that the profile came out of
  std::optional<column_cache::StoredColumns> to_check_;
  std::optional<column_cache::Identity> to_keep_;
};

}  // namespace dlview::import
