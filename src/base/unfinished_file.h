// UnfinishedFile: a file that grows under a name of its own beside its target and gets the target's
// name only when it is complete. So readers see the old file or the whole new one, and nothing is
// left behind when writing fails. Used by everything that writes files for the user.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace dlview::base {

class UnfinishedFile {
 public:
  // Creates an empty file under a name that nothing has. The Error says why that cannot be, with
  // the target's name.
  static Result<UnfinishedFile> create(const std::filesystem::path& target);

  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  // Removes the file unless it got its name.
  ~UnfinishedFile();

  // Where to write; close it before finish().
  const std::filesystem::path& path() const { return path_; }

  // Gives the file the target's name, in place of an older file.
  Status finish();

  // "A file cannot be written", for a writer that fails on its way.
  Error error(const std::string& reason) const;

 private:
  UnfinishedFile(std::filesystem::path target, std::filesystem::path path);

  std::filesystem::path target_;
  std::filesystem::path path_;  // empty once there is nothing to remove
};

}  // namespace dlview::base
