#include "app/quit_signals.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace dlview::app {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

// A signal handler may do little more than write a byte.
std::atomic<int> pipe_end{-1};

void send_signal(int) {
  const int before = errno;
  const char byte = 's';
  static_cast<void>(!::write(pipe_end, &byte, 1));
  errno = before;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(signal, &action, nullptr);
}

}  // namespace

QuitSignals::QuitSignals(std::function<void()> wake) {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  pipe_end = ends[1];
  thread_ = std::thread([this, wake_up = std::move(wake), from = ends[0]] {
    char byte = 0;
    while (::read(from, &byte, 1) == 1) {
      arrived_ = true;
      wake_up();
    }
    close(from);
  });
  for (const int signal : kSignals) handle(signal, send_signal);
}

QuitSignals::~QuitSignals() {
  if (!thread_.joinable()) return;
  for (const int signal : kSignals) handle(signal, SIG_DFL);
  close(pipe_end.exchange(-1));
  thread_.join();
}

}  // namespace dlview::app
