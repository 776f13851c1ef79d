#include "app/open_link.h"

#include <array>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>

extern char** environ;

namespace dlview::app {

void open_link(const std::string& url) {
  if (!url.starts_with("https://") && !url.starts_with("http://")) return;
  std::string program = "xdg-open";
  std::string argument = url;
  const std::array<char*, 3> arguments{program.data(), argument.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) {
    return;
  }
  std::thread([child] { waitpid(child, nullptr, 0); }).detach();
}

}  // namespace dlview::app
