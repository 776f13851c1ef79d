// StateFile: the state JSON in a file that follows what the window shows, so that a test can watch
// the real program from outside.
#pragma once

#include <filesystem>
#include <string>

#include "app/program.h"

namespace dlview::app {

class StateFile {
 public:
  explicit StateFile(std::filesystem::path path);

  // Replaces the file when the state differs from the last one written; never half-written.
  void write(const Program& program);

 private:
  std::filesystem::path path_;
  std::string last_;
};

}  // namespace dlview::app
