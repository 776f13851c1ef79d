#include "app/open_link.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <utility>

extern char** environ;

namespace dlview::app {
namespace {

// Between two looks whether xdg-open has ended, which may run as long as the browser it has begun.
constexpr std::chrono::milliseconds kFirstLook{10}, kLastLook{1'000};
// What runs longer is the browser.
constexpr std::chrono::seconds kBrowserItself{30};

// Returns false when there is no xdg-open or it found no browser. A stop leaves it running.
bool run_xdg_open(std::string url, const std::stop_token& stop) {
  std::string program = "xdg-open";
  const std::array<char*, 3> arguments{program.data(), url.data(), nullptr};
  // The browser must not inherit that this thread gives way to others.
  posix_spawnattr_t attributes;
  if (posix_spawnattr_init(&attributes) != 0) return false;
  const sched_param priority{};
  posix_spawnattr_setschedpolicy(&attributes, SCHED_OTHER);
  posix_spawnattr_setschedparam(&attributes, &priority);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSCHEDULER);
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, program.c_str(), nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) return false;
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  int status = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (auto look = kFirstLook; waitpid(child, &status, WNOHANG) == 0;
       look = std::min(2 * look, kLastLook)) {
    stopped.wait_for(lock, stop, look, [] { return false; });
    if (stop.stop_requested() || std::chrono::steady_clock::now() - begin > kBrowserItself) {
      return true;
    }
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

LinkOpener::LinkOpener(base::Scheduler& scheduler) : LinkOpener(scheduler, run_xdg_open) {}

LinkOpener::LinkOpener(base::Scheduler& scheduler, Browser browser)
    : scheduler_(scheduler), browser_(std::move(browser)) {}

void LinkOpener::open(const std::string& url) {
  if (!url.starts_with("https://") && !url.starts_with("http://")) return;
  auto show = [browser = browser_, url](const base::Progress& progress) {
    return browser(url, progress.stop_token());
  };
  pages_.push_back({url, scheduler_.start(base::Arena::background, std::move(show))});
}

std::optional<std::string> LinkOpener::take_failed() {
  std::optional<std::string> failed;
  std::erase_if(pages_, [&failed](Page& page) {
    if (!page.is_shown.ended()) return false;
    const base::Result<bool> is_shown = page.is_shown.take();
    if (!is_shown || !*is_shown) failed = page.url;
    return true;
  });
  return failed;
}

}  // namespace dlview::app
