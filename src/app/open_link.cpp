#include "app/open_link.h"

#include <array>
#include <mutex>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
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
  Browser browser;
  std::mutex mutex;
  std::optional<std::string> failed;

  // Whatever is thrown: the page is not open.
  bool show(const std::string& url) const noexcept {
    try {
      return browser(url);
    } catch (...) {
      return false;
    }
  }
  void fail(const std::string& url) {
    {
      const std::lock_guard lock(mutex);
      failed = url;
    }
    wake();
  }
};

LinkOpener::LinkOpener(std::function<void()> wake) : LinkOpener(std::move(wake), run_xdg_open) {}

LinkOpener::LinkOpener(std::function<void()> wake, Browser browser)
    : shared_(std::make_shared<Shared>()) {
  shared_->wake = std::move(wake);
  shared_->browser = std::move(browser);
}

void LinkOpener::open(const std::string& url) {
  if (!url.starts_with("https://") && !url.starts_with("http://")) return;
  try {
    std::thread([shared = shared_, url] {
      if (!shared->show(url)) shared->fail(url);
    }).detach();
  } catch (const std::system_error&) {  // no thread can be had
    shared_->fail(url);
  }
}

std::optional<std::string> LinkOpener::take_failed() {
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->failed, std::nullopt);
}

}  // namespace dlview::app
