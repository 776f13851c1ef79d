#include "base/names_to_remove.h"

#include <array>
#include <csignal>
#include <unistd.h>
#include <utility>

namespace dlview::base {
namespace {

// A slot is emptied by whoever takes the name out of it.
std::array<std::atomic<const char*>, 64> slots;

// Calls nothing that a signal handler may not call.
void remove_names_and_end(int signal) {
  for (std::atomic<const char*>& slot : slots) {
    if (const char* name = slot.exchange(nullptr)) unlink(name);
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

NameToRemove::NameToRemove(const std::filesystem::path& path) : name_(path.string()) {
  for (std::atomic<const char*>& slot : slots) {
    const char* empty = nullptr;
    if (!slot.compare_exchange_strong(empty, name_.c_str())) continue;
    slot_ = &slot;
    return;
  }
}

NameToRemove::~NameToRemove() {
  const char* mine = name_.c_str();
  if (slot_ == nullptr || slot_->compare_exchange_strong(mine, nullptr)) return;
  static_cast<void>(new std::string(std::move(name_)));  // the signal handler reads it
}

void remove_names_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_names_and_end;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace dlview::base
