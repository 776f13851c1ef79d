// FileMemory: which files were opened, newest first, and what was looked at in each. A convenience
// like the settings: a missing, broken or unwritable memory is passed over in silence.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dlview::workspace {

class FileMemory {
 public:
  // Reads the file, which need not be there.
  explicit FileMemory(std::filesystem::path file);

  // Puts the file first; `state` is a state string.
  void remember(const std::string& path, const std::string& state);
  void forget();
  // The state string that was remembered; empty = none.
  std::string recall(const std::string& path) const;
  // Files that still exist.
  std::vector<std::string> recent() const;

 private:
  struct Entry {
    std::string path, state;
  };
  void write() const;

  std::filesystem::path file_;
  std::vector<Entry> entries_;
};

// In the XDG state folder.
std::filesystem::path file_memory_file();

}  // namespace dlview::workspace
