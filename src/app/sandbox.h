// Sandbox: a temporary folder that stands in for the user's folders while random input is played:
// the program keeps settings, state, cache and what it saves there, and opens nothing of the
// user's but the files it was given.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/display_options.h"
#include "base/result.h"
#include "workspace/bookmark_file.h"
#include "workspace/file_memory.h"

namespace dlview::app {

class Sandbox {
 public:
  // Makes the folder and turns HOME, TMPDIR, the XDG folders and the working folder of the process
  // to it, until the sandbox is destroyed. No other thread may read the environment meanwhile.
  static base::Result<std::unique_ptr<Sandbox>> create(const std::vector<std::string>& files);
  // Removes the folder.
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  // Of a program that remembers files and bookmarks as the window does, and whose demo is the first
  // file. The sandbox outlives it.
  ProgramHooks hooks(const Display& display);
  // Given files, what lies in given folders and in its own, and what is no profile: missing, a
  // folder, a text.
  bool may_open(const std::filesystem::path& path) const;

  // What a user may drop that is no profile; on every machine.
  static const std::vector<std::string>& no_profiles();

 private:
  Sandbox(std::filesystem::path folder, const std::vector<std::string>& files);
  void set_variable(const char* name, const std::filesystem::path& value);

  std::filesystem::path folder_, folder_before_;
  std::vector<std::filesystem::path> files_;
  std::vector<std::pair<std::string, std::optional<std::string>>> variables_before_;
  std::optional<workspace::FileMemory> memory_;
  std::optional<workspace::BookmarkFile> bookmarks_;
};

}  // namespace dlview::app
