#include "import/child_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dlview::import {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

// In the new process, where only what is safe in a signal handler may be called.
[[noreturn]] void become(const std::vector<char*>& arguments, const char* output, pid_t parent,
                         int failure) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(EXIT_FAILURE);  // it ended before the signal was asked for
  const int input = open("/dev/null", O_RDONLY);
  const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (input >= 0 && out >= 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
      dup2(out, STDERR_FILENO) >= 0) {
    execvp(arguments[0], arguments.data());
  }
  const int error = errno;
  const bool is_told = write(failure, &error, sizeof error) == sizeof error;
  _exit(is_told ? EXIT_SUCCESS : EXIT_FAILURE);
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> command, const std::filesystem::path& output) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  int failure[2];  // closed by a program that starts, else it tells errno
  if (pipe2(failure, O_CLOEXEC) != 0) {
    error_ = errno;
    return;
  }
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) become(arguments, output.c_str(), parent, failure[1]);
  if (process_ < 0) error_ = errno;
  close(failure[1]);
  if (process_ > 0 && read(failure[0], &error_, sizeof error_) == sizeof error_) {
    waitpid(process_, nullptr, 0);
  }
  close(failure[0]);
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
