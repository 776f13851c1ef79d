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

// Safe to call on any thread; `progress` may be watched and cancelled from another one. A cancelled
// job returns an Error titled "Cancelled".
base::Result<profile::Profile> open_profile(const std::filesystem::path& path,
                                            base::Progress& progress,
                                            std::span<const Importer> registry = importers());
// The same, but lets std::bad_alloc pass: for an importer that opens another file.
base::Result<profile::Profile> open_or_throw(const std::filesystem::path& path,
                                             base::Progress& progress);

// A file that is opened through the cache of columns: out of it where it was kept there, else as
// open_profile() does. One thread at a time may use it.
class CachedFile {
 public:
  explicit CachedFile(std::filesystem::path path) : path_(std::move(path)) {}

  // Begins to look into the cache, in a task, for an open() that comes soon.
  void look_ahead(base::Scheduler& scheduler);
  base::Result<profile::Profile> open(base::Progress& progress);

  // What the program keeps beside the columns: after open() what came out of the cache with them,
  // else nothing, until it is set for tend() to keep.
  const std::string& beside() const { return beside_; }
  void set_beside(std::string beside) { beside_ = std::move(beside); }

  // Removes the cache file that the profile came out of: the next opening reads the profile again.
  void remove_kept() const;

  // What is to be done for the cache while the profile is in use.
  enum class Chore { none, check, keep };
  Chore chore() const;
  // Why there is no chore after open(), in words.
  const char* why_not_kept() const { return why_not_kept_; }
  // Checks the columns that came out of the cache, or keeps those that were read, given as open()
  // returned them. False when they are not those that were kept; then the next open() reads the
  // file. That they cannot be kept is no harm.
  bool tend(const profile::Profile& profile, const std::stop_token& stop);

 private:
  struct Found {
    std::optional<column_cache::Identity> identity;  // nothing: it cannot be kept
    std::optional<column_cache::Restored> restored;
  };
  static Found look_up(const std::filesystem::path& path);
  Found take_ahead();
  base::Result<profile::Profile> restore_or_read(base::Progress& progress);

  std::filesystem::path path_;
  base::Task<Found> ahead_;  // of path_
  std::string beside_;
  const char* why_not_kept_ = "";
  std::filesystem::path kept_;  // the cache file that the profile came out of
  std::optional<column_cache::StoredColumns> to_check_;
  std::optional<column_cache::Identity> to_keep_;
};

}  // namespace dlview::import
