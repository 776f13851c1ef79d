// FileMemory: which files were opened, newest first, what was looked at in each, and what the list
// of recent profiles shows of it. A convenience like the settings: a missing, broken or unwritable
// memory is passed over in silence.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "workspace/profile_facts.h"

namespace dlview::workspace {

struct RecentFile {
  std::string path;  // absolute
  ProfileFacts facts;
  bool exists = true;
};

class FileMemory {
 public:
  // Reads the file, which need not be there.
  explicit FileMemory(std::filesystem::path file);

  // Puts the file first; `state` is a state string. Without `facts`, those it has stay.
  void remember(const std::string& path, const std::string& state,
                const std::optional<ProfileFacts>& facts = {});
  void forget();
  void forget(const std::string& path);
  // The state string that was remembered; empty = none.
  std::string recall(const std::string& path) const;
  // Newest first. Looks for each file on the disk.
  std::vector<RecentFile> recent() const;
  // Counts changes of recent().
  int changes() const { return changes_; }

 private:
  struct Entry {
    std::string path, state;
    ProfileFacts facts;
  };
  void write();

  std::filesystem::path file_;
  std::vector<Entry> entries_;
  int changes_ = 0;
};

// In the XDG state folder.
std::filesystem::path file_memory_file();

}  // namespace dlview::workspace
