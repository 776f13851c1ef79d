// Names of files that have to go when a signal ends the process.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

namespace dlview::base {

class NameToRemove {
 public:
  // At most 64 names at a time; a further name is not removed when a signal comes.
  explicit NameToRemove(const std::filesystem::path& path);
  ~NameToRemove();
  NameToRemove(const NameToRemove&) = delete;
  NameToRemove& operator=(const NameToRemove&) = delete;

 private:
  std::string name_;
  std::atomic<const char*>* slot_ = nullptr;
};

// SIGINT, SIGTERM and SIGHUP remove all such names before they end the process, except those that
// it ignores (nohup).
void remove_names_on_signals();

}  // namespace dlview::base
