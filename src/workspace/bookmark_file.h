// BookmarkFile: the bookmarks of all runs, stored with the settings and never in a user's file.
// Identifies a run by its contents (run_identity), so its bookmarks stay if its file is moved.
#pragma once

#include <filesystem>
#include <string>

#include "profile/profile.h"
#include "timeline/request.h"

namespace dlview::workspace {

class BookmarkFile {
 public:
  explicit BookmarkFile(std::filesystem::path file) : file_(std::move(file)) {}

  // None where the file is missing or broken.
  timeline::Bookmarks of(const std::string& run) const;
  // Applies the changes from `before` to `after` to the file, which another window may have changed
  // meanwhile. `path` is stored for people who read the file. Returns false if the file could not
  // be written; a corrupt file is left unchanged.
  bool keep(const std::string& run, const std::string& path, const timeline::Bookmarks& before,
            const timeline::Bookmarks& after) const;

 private:
  std::filesystem::path file_;
};

// In the XDG configuration folder.
std::filesystem::path bookmark_file();

// Returns 16 hexadecimal digits, equal for equal events, whichever file they come from.
std::string run_identity(const profile::Profile& profile);

}  // namespace dlview::workspace
