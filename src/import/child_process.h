// A program that dlview runs and waits for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/descriptor.h"
#include "base/progress.h"

namespace dlview::import {

class ChildProcess {
 public:
  // Starts a program of the PATH, in a group of its own and without input; what it says goes to
  // the file `output`. When dlview ends first, even by SIGKILL, the program and all that it
  // started in its group are ended: SIGTERM, a second later SIGKILL.
  ChildProcess(std::vector<std::string> command, const std::filesystem::path& output);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Why it did not start, as errno; 0 when it runs.
  int error() const { return error_; }

  // Its exit status, -1 when a signal ended it; nothing when the job was canceled, which ends it
  // and all that it started. To be called once.
  std::optional<int> wait(const base::Progress& progress) const;

 private:
  void begin_guard();

  pid_t process_ = 0, guard_ = 0, group_ = 0;
  base::Descriptor life_;  // closed by the system when dlview ends
  int error_ = 0;
};

}  // namespace dlview::import
