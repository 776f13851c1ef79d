#include "app/open_link.h"

#include <array>
#include <mutex>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <utility>

extern char** environ;

namespace dlview::app {
namespace {

// Waits for the end of xdg-open; false when there is none or it found no browser.
bool run_xdg_open(std::string url) {
  std::string program = "xdg-open";
  const std::array<char*, 3> arguments{program.data(), url.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) {
    return false;
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

struct LinkOpener::Shared {
  std::function<void()> wake;
  std::mutex mutex;
  std::optional<std::string> failed;
};

LinkOpener::LinkOpener(std::function<void()> wake) : shared_(std::make_shared<Shared>()) {
  shared_->wake = std::move(wake);
}

void LinkOpener::open(const std::string& url) {
  if (!url.starts_with("https://") && !url.starts_with("http://")) return;
  std::thread([shared = shared_, url] {
    if (run_xdg_open(url)) return;
    {
      const std::lock_guard lock(shared->mutex);
      shared->failed = url;
    }
    shared->wake();
  }).detach();
}

std::optional<std::string> LinkOpener::take_failed() {
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->failed, std::nullopt);
}

}  // namespace dlview::app
