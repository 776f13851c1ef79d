// QuitSignals: SIGINT, SIGTERM and SIGHUP as a wish to quit that a loop can follow, so that a
// window remembers what it shows when its session ends. A second signal ends the process at once.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace dlview::app {

// Has a thread of its own, which sleeps in a read() nearly all the time: no task.
class QuitSignals {
 public:
  // One at a time. `wake` is called on another thread when a signal has arrived. What the process
  // ignores (nohup) stays ignored.
  explicit QuitSignals(std::function<void()> wake);
  // From then on signals end the process again.
  ~QuitSignals();
  QuitSignals(const QuitSignals&) = delete;
  QuitSignals& operator=(const QuitSignals&) = delete;

  bool arrived() const { return arrived_; }

 private:
  std::atomic<bool> arrived_{false};
  std::thread thread_;
};

}  // namespace dlview::app
