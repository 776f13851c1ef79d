#include "app/foreground_process.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dlview::app {
namespace {

constexpr std::array kForegroundSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::chrono::milliseconds kBetweenWaits{20};
// `timeout` and batch systems send a signal to the process and to its group: that is one.
constexpr std::chrono::milliseconds kSameSignal{500};

// Written by the signal handler, which may do little more.
std::atomic<int> latest_signal{0};
std::atomic<bool> is_from_terminal{false};

void note_signal(int signal, siginfo_t* info, void*) {
  is_from_terminal = info != nullptr && info->si_code == SI_KERNEL;
  latest_signal = signal;
}

// Keeps signals from ending dlview as long as it lives.
class NotedSignals {
 public:
  NotedSignals() {
    latest_signal = 0;
    for (std::size_t i = 0; i < kForegroundSignals.size(); ++i) {
      sigaction(kForegroundSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) continue;
      struct sigaction action {};
      action.sa_sigaction = note_signal;
      action.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESTART);
      sigaction(kForegroundSignals[i], &action, nullptr);
    }
  }
  ~NotedSignals() {
    for (std::size_t i = 0; i < kForegroundSignals.size(); ++i) {
      sigaction(kForegroundSignals[i], &before_[i], nullptr);
    }
  }
  NotedSignals(const NotedSignals&) = delete;
  NotedSignals& operator=(const NotedSignals&) = delete;

 private:
  std::array<struct sigaction, kForegroundSignals.size()> before_{};
};

// In the new process, where only what is safe in a signal handler may be called.
[[noreturn]] void become_foreground(const std::vector<char*>& arguments, bool has_own_group,
                                    pid_t dlview, int failure) {
  if (has_own_group) setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::signal(SIGXFSZ, SIG_DFL);  // which dlview ignores
  if (getppid() == dlview) execvp(arguments[0], arguments.data());
  const int error = errno;
  static_cast<void>(!write(failure, &error, sizeof error));
  _exit(EXIT_FAILURE);
}

// Passes signals on to the process, or to its group, until it ends; returns its status.
int wait_for_end(pid_t process, bool has_own_group, int& first_signal) {
  const pid_t target = has_own_group ? -process : process;
  auto latest = std::chrono::steady_clock::now();
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process || (ended < 0 && errno != EINTR)) break;
    if (const int signal = latest_signal.exchange(0); signal != 0) {
      const auto now = std::chrono::steady_clock::now();
      if (first_signal == 0) {
        first_signal = signal;
        // Ctrl+C reaches all processes of the terminal's group.
        if (has_own_group || !is_from_terminal) kill(target, signal);
      } else if (now - latest >= kSameSignal) {
        kill(target, SIGKILL);
      }
      latest = now;
    }
    std::this_thread::sleep_for(kBetweenWaits);
  }
  if (first_signal == 0) first_signal = latest_signal.exchange(0);
  return status;
}

bool is_executable_file(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

}  // namespace

ForegroundEnd run_in_foreground(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  ForegroundEnd end;
  int failure[2];  // closed by a program that starts, else it tells errno
  if (pipe2(failure, O_CLOEXEC) != 0) {
    end.error = errno;
    return end;
  }
  // Only the group of the terminal may read from it.
  const bool has_own_group = isatty(STDIN_FILENO) == 0;
  const NotedSignals signals;
  const pid_t dlview = getpid(), process = fork();
  if (process == 0) become_foreground(arguments, has_own_group, dlview, failure[1]);
  if (process < 0) end.error = errno;
  if (process > 0 && has_own_group) setpgid(process, process);  // before a signal for its group
  close(failure[1]);
  if (process > 0) {
    ssize_t bytes = 0;
    while ((bytes = read(failure[0], &end.error, sizeof end.error)) < 0 && errno == EINTR) {
    }
    const int status = wait_for_end(process, has_own_group, end.signal);
    end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  close(failure[0]);
  return end;
}

bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_executable_file(name);
  const char* variable = std::getenv("PATH");
  const std::string folders = variable != nullptr ? variable : "/bin:/usr/bin";
  for (std::size_t begin = 0; !name.empty() && begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string folder = folders.substr(begin, end - begin);
    if (is_executable_file((folder.empty() ? "." : folder) + '/' + name)) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace dlview::app
