// The state of the program as JSON, for UI tests: what is open, what is selected, the numbers that
// belong to it, and every value and item that the last frame put on screen.
#pragma once

#include <filesystem>
#include <string>

#include "app/program.h"

namespace dlview::app {

class Program;

std::string state_json(const Program& program);

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
