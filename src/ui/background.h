// Work that takes too long for a frame: its tasks in the background, and Late, which keeps
// the last result until the next one is ready.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/scheduler.h"
#include "profile/event_count.h"

namespace dlview::ui {

// The tasks with which views make what is too long for a frame: sorted rows, findings, searches.
// They run in the background (base/scheduler.h), several at once. The main thread only.
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

  // Drops a reference in the background, once it is the last one: to free a table of millions of
  // rows takes longer than a frame.
  void drop(std::shared_ptr<const void> unused);

  // Keeps the error of something that could not be made, for a notice.
  void fail(base::Error error);
  // The last one, once.
  std::optional<base::Error> take_failure() { return std::exchange(failure_, std::nullopt); }

 private:
  void free_unused();

  base::Scheduler& scheduler_;
  std::vector<std::shared_ptr<const base::TaskState>> tasks_;  // without news yet
  std::vector<std::shared_ptr<const void>> unused_;            // here; a view may still have them
  std::vector<base::Task<base::Success>> drops_;
  std::optional<base::Error> failure_;
  bool has_failed_ = false;  // without news yet
};

// A result that is slow to compute from what a frame shows. Where it is small it is made at once;
// else in the background, and the last one stays until the next one is there. Where making it fails
// there is none until another key is wanted; Background::take_failure() has the error. The main
// thread only. Key: what it is made from; comparable.
template <typename Key, typename Product>
class Late {
  using Made = std::shared_ptr<const Product>;

 public:
  // Runs on another thread unless it is made at once, and owns what it touches.
  using Make = std::function<Made(const base::Progress&)>;

  // What becomes of what is being made when something else is wanted. What takes seconds is
  // canceled; what takes a few frames is finished, so that it follows a mouse that does not rest.
  enum class WhenOutdated { cancel, finish };
  explicit Late(WhenOutdated outdated = WhenOutdated::cancel) : outdated_(outdated) {}

  // In every frame in which it is wanted.
  void want(const Key& key, bool at_once, Background& background, Make make) {
    if (task_.ended()) {
      if (product_) background.drop(std::move(product_));
      take_over(task_.take(), background);
    }
    if (key_ == key || (task_ && outdated_ == WhenOutdated::finish)) return;
    key_ = key;
    task_ = {};
    if (at_once) {
      base::Progress progress;
      take_over(base::run_job(make, progress), background);
    } else {
      task_ = background.start(std::move(make));
    }
  }
  // It is not wanted any more.
  void drop() {
    task_ = {};
    key_.reset();
    product_.reset();
  }

  // Null before the first one, and after one that could not be made.
  const Made& get() const { return product_; }
  bool is_late() const { return static_cast<bool>(task_); }

 private:
  void take_over(base::Result<Made> made, Background& background) {
    if (!made) background.fail(made.error());
    product_ = made ? *std::move(made) : nullptr;
  }

  WhenOutdated outdated_;
  std::optional<Key> key_;  // of the task, or of the product once it has ended
  Made product_;
  base::Task<Made> task_;  // that makes the next one
};

using profile::has_few_events;
using profile::has_few_frames;

}  // namespace dlview::ui
