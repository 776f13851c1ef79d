// BookmarkFile: the bookmarks of all runs, kept beside the settings and never in a user's file. A
// run is known by what it holds (run_identity), so that its bookmarks stay when its file is moved.
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
  // Does on disk, where another window may have written others meanwhile, what makes `after` of
  // `before`: adds, changes and removes. `path` is for people who read the file. False where they
  // could not be written; a file that is broken is left as it is.
  bool keep(const std::string& run, const std::string& path, const timeline::Bookmarks& before,
            const timeline::Bookmarks& after) const;

 private:
  std::filesystem::path file_;
};

// In the XDG configuration folder.
std::filesystem::path bookmark_file();

// The same for the same events, wherever they were read from: 16 hexadecimal digits.
std::string run_identity(const profile::Profile& profile);

}  // namespace dlview::workspace
