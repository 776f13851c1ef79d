#include "import/child_process.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dlview::import {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> command, const std::filesystem::path& output) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  error_ = posix_spawnp(&process_, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
}

std::optional<int> ChildProcess::wait(const base::Progress& progress) const {
  int status = 0;
  while (waitpid(process_, &status, WNOHANG) == 0) {
    if (progress.cancelled()) {
      kill(-process_, SIGKILL);
      waitpid(process_, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace dlview::import
