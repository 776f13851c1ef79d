// Background: work that is too long for a frame, done on one thread in the order in which it was
// asked for: sorting millions of rows, writing a file. Jobs own what they touch. A job that throws
// ends; its error waits in take_failure(), and the next job begins.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/result.h"

namespace dlview::ui {

class Background {
 public:
  // `wake` is called on the thread after each job.
  explicit Background(std::function<void()> wake);
  // Drops what waits and waits for what runs; whoever asked for it cancels it first.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void run(std::function<void()> job);
  // Runs a job that is small within the call, with the same fate of what it throws. The main thread
  // only.
  void run_now(const std::function<void()>& job);

  // Jobs that are asked for while one lives begin behind it: they would take the core from the
  // frame that asks for them.
  class Hold {
   public:
    explicit Hold(Background& background);
    ~Hold();
    Hold(Hold&& other) noexcept : background_(std::exchange(other.background_, nullptr)) {}
    Hold& operator=(Hold&&) = delete;

   private:
    Background* background_;  // null = another one holds now
  };

  // A job waits or runs.
  bool busy() const;
  // True, once, after a job has ended.
  bool take_news() { return news_.exchange(false); }
  // The error of the last job that threw, once.
  std::optional<base::Error> take_failure();
  // Never returns where this thread holds a job.
  void wait_until_idle();

 private:
  void work();
  // Leaves the error of the exception that is being handled.
  void keep_failure();
  void let_begin() { may_begin_ = waiting_.size(); }

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::optional<base::Error> failure_;
  std::atomic<bool> news_{false};
  int holds_ = 0;
  std::size_t may_begin_ = 0;  // of those that wait, the first so many
  bool running_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace dlview::ui
