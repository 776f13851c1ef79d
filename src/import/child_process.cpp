#include "import/child_process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dlview::import {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};
constexpr unsigned kSecondsToEnd = 1;

// In the new process, where only what is safe in a signal handler may be called.
[[noreturn]] void become(const std::vector<char*>& arguments, const char* output, int failure,
                         pid_t group) {
  const bool is_in_group = setpgid(0, group) == 0;  // not when dlview and its guard have ended
  const int input = open("/dev/null", O_RDONLY);
  const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (is_in_group && input >= 0 && out >= 0 && dup2(input, STDIN_FILENO) >= 0 &&
      dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0) {
    execvp(arguments[0], arguments.data());
  }
  const int error = errno;
  const bool is_told = write(failure, &error, sizeof error) == sizeof error;
  _exit(is_told ? EXIT_SUCCESS : EXIT_FAILURE);
}

// In a process of its own, the leader of the group: waits until dlview has ended, however that
// came, then ends the group. Nobody writes into the pipe `life`; its end comes when the last
// process that could write has ended, so this one gives up its own copy.
[[noreturn]] void guard(const int (&life)[2]) {
  close(life[1]);
  if (setpgid(0, 0) != 0) _exit(EXIT_FAILURE);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
  char byte;
  while (read(life[0], &byte, 1) < 0 && errno == EINTR) {
  }
  kill(0, SIGTERM);  // its group
  sleep(kSecondsToEnd);
  kill(0, SIGKILL);
  _exit(EXIT_SUCCESS);
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> command, const std::filesystem::path& output) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  begin_guard();   // before there is a pipe that it would keep open
  int failure[2];  // closed by a program that starts, else it tells errno
  if (pipe2(failure, O_CLOEXEC) != 0) {
    error_ = errno;
    return;
  }
  process_ = fork();
  if (process_ == 0) become(arguments, output.c_str(), failure[1], std::max(guard_, 0));
  group_ = guard_ > 0 ? guard_ : process_;
  if (process_ < 0) error_ = errno;
  close(failure[1]);
  if (process_ > 0 && read(failure[0], &error_, sizeof error_) == sizeof error_) {
    waitpid(process_, nullptr, 0);
  }
  close(failure[0]);
}

// Before the process, which otherwise had a moment without it.
void ChildProcess::begin_guard() {
  int life[2];
  if (pipe2(life, O_CLOEXEC) != 0) return;
  guard_ = fork();
  if (guard_ == 0) guard(life);
  if (guard_ > 0) setpgid(guard_, guard_);  // there is a group before the process joins it
  close(life[0]);
  life_ = base::Descriptor(life[1]);
}

ChildProcess::~ChildProcess() {
  if (guard_ <= 0) return;
  kill(guard_, SIGKILL);
  waitpid(guard_, nullptr, 0);
}

std::optional<int> ChildProcess::wait(const base::Progress& progress) const {
  int status = 0;
  while (waitpid(process_, &status, WNOHANG) == 0) {
    if (progress.canceled()) {
      kill(-group_, SIGKILL);
      waitpid(process_, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace dlview::import
