// Background: the tasks with which views make what is too long for a frame: sorted rows, findings,
// searches. They run in the background (base/scheduler.h), several at once. The main thread only.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/scheduler.h"

namespace dlview::ui {

class Background {
 public:
  explicit Background(base::Scheduler& scheduler) : scheduler_(scheduler) {}

  template <typename Job>
  base::Task<base::JobProduct<Job>> start(Job job) {
    auto task = scheduler_.start(base::Arena::background, std::move(job));
    tasks_.push_back(task.watch());
    return task;
  }
  // Tasks that are asked for while one lives begin after it.
  base::Scheduler::Hold hold() { return base::Scheduler::Hold(scheduler_); }

  // A task waits or runs.
  bool busy() const;
  // True, once, after a task has ended, and after a failure.
  bool take_news();
  // Never returns where this thread has a hold().
  void wait_until_idle() const;

  // Keeps the error of something that could not be made, for a notice.
  void fail(base::Error error);
  // The last one, once.
  std::optional<base::Error> take_failure() { return std::exchange(failure_, std::nullopt); }

 private:
  base::Scheduler& scheduler_;
  std::vector<std::shared_ptr<const base::TaskState>> tasks_;  // without news yet
  std::optional<base::Error> failure_;
  bool has_failed_ = false;  // without news yet
};

}  // namespace dlview::ui
