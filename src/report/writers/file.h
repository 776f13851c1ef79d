// Files written through a stream that are either complete or not there (base/unfinished_file.h).
#pragma once

#include <ctime>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "base/result.h"
#include "profile/profile.h"

namespace dlview::report {

// Lets `write` fill a file that replaces `path` when it is complete. On failure, removes the new
// file and leaves an older file unchanged.
base::Status write_file(const std::filesystem::path& path,
                        const std::function<void(std::ostream& out)>& write);

// A folder for reports; an existing one is fine.
base::Status create_folder(const std::filesystem::path& folder);

// An Error with `advice` when `file` is a file that the profile was opened from, or has its
// counters from.
base::Status refuse_source(const std::filesystem::path& file, const profile::Profile& profile,
                           const std::string& advice);

// The error of a file that was not written to its end.

inline base::Error export_canceled() {
  return {"Canceled", "the incomplete file was removed", "Start again"};
}

// SOURCE_DATE_EPOCH, the convention of reproducible builds for dates inside files.

// Returns the time in seconds since 1970 to write into files instead of the current time, so that
// two runs write the same bytes; nullopt if the variable is not set or not a number.
std::optional<std::time_t> source_date();

}  // namespace dlview::report
