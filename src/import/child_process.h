// A program that dlview runs and waits for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/progress.h"

namespace dlview::import {

class ChildProcess {
 public:
  // Starts a program of the PATH, in a group of its own and without input; what it says goes to
  // the file `output`. It is asked to end (SIGTERM) when the thread that started it does, so that
  // it does not outlive a dlview that was interrupted.
  ChildProcess(std::vector<std::string> command, const std::filesystem::path& output);

  // Why it did not start, as errno; 0 when it runs.
  int error() const { return error_; }

  // Its exit status, -1 when a signal ended it; nothing when the job was cancelled, which ends it
  // and all that it started. To be called once.
  std::optional<int> wait(const base::Progress& progress) const;

 private:
  pid_t process_ = 0;
  int error_ = 0;
};

}  // namespace dlview::import
