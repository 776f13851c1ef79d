// Opens a profile out of the cache: its columns are the mapped file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "import/column_cache/format.h"
#include "import/column_cache/identity.h"
#include "import/column_cache/mapped_file.h"
#include "profile/profile.h"

namespace dlview::import::column_cache {

// The columns of an open cache file, still to be checked.
class StoredColumns {
 public:
  StoredColumns(std::filesystem::path path, std::shared_ptr<const MappedFile> file,
                std::span<const Entry> directory)
      : path_(std::move(path)), file_(std::move(file)), directory_(directory) {}

  // Copies the columns into memory of their own and compares the checksums; from then on the
  // profile no longer depends on the file. Returns whether all are what was written, and true when
  // `stop` ended it earlier. Removes a file that is damaged.
  bool are_sound(const std::stop_token& stop) const;

 private:
  std::filesystem::path path_;
  std::shared_ptr<const MappedFile> file_;
  std::span<const Entry> directory_;
};

struct Restored {
  profile::Profile profile;
  std::string beside;  // as store() was given it
  StoredColumns columns;
};

// Nothing when there is no file that fits the identity and this program and that could do no harm;
// what is not in order is removed. Checks header, directory, facts and every row number.
std::optional<Restored> restore(const Identity& identity, const std::filesystem::path& folder);

// Returns the file whose columns a cache file has; empty if the cache file is unusable.
std::filesystem::path source_of(const std::filesystem::path& cache_file);

}  // namespace dlview::import::column_cache
