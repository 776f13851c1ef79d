// Task: the handle to a job that a Scheduler runs on one of its threads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/progress.h"
#include "base/result.h"
#include "base/stop_point.h"

namespace dlview::base {

// A job is called as job(Progress&) and returns a T, a Result<T> or nothing (then T is Success).
template <typename Returned>
struct ProductOf {
  using type = Returned;
};
template <typename T>
struct ProductOf<Result<T>> {
  using type = T;
};
template <>
struct ProductOf<void> {
  using type = Success;
};
template <typename Job>
using JobProduct = typename ProductOf<std::invoke_result_t<Job&, Progress&>>::type;

// Call it in a handler. Returns what a job ends with that threw what is being handled: why it was
// stopped, "Canceled", or the error of the exception.
Error error_of_job(const Progress& progress);

// Runs a job within the call, as a task would: stop points stop it, and what it throws becomes an
// Error.
template <typename Job>
Result<JobProduct<Job>> run_job(Job&& job, Progress& progress) {
  const JobScope scope(&progress);
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Job&, Progress&>>) {
      job(progress);
      return Success{};
    } else {
      return job(progress);
    }
  } catch (...) {
    return error_of_job(progress);
  }
}

// A task without its product: what those see who only wait for its end. All functions may be
// called on any thread.
class TaskState {
 public:
  virtual ~TaskState() = default;
  TaskState(const TaskState&) = delete;
  TaskState& operator=(const TaskState&) = delete;

  Progress& progress() { return progress_; }
  const Progress& progress() const { return progress_; }
  bool ended() const { return stage_.load(std::memory_order_acquire) == Stage::ended; }
  void wait() const;
  // Returns ended().
  bool wait_for(std::chrono::milliseconds longest) const;

  // Ends a task that has not begun as "Canceled": its job is let go and never called. Returns
  // false where it has begun.
  bool withdraw();
  // Withdraws it, or has it end at its next stop point. Never waits.
  void cancel();

 protected:
  TaskState() = default;
  // Makes the product and lets go of the job. `before` is called first and may throw.
  virtual void make(const std::function<void()>& before) = 0;
  virtual void make_none(Error why) = 0;
  Progress progress_;

 private:
  friend class Scheduler;
  enum class Stage { waiting, running, ended };

  // Returns false where it was withdrawn.
  bool run(const std::function<void()>& before);
  bool leave_waiting();
  void end();

  std::atomic<Stage> stage_ = Stage::waiting;
  mutable std::mutex mutex_;
  mutable std::condition_variable has_ended_;
};

template <typename T>
class TaskOf : public TaskState {
 public:
  std::optional<Result<T>> product;  // once it has ended
};

// The handle of a task; one thread at a time may use it. To destroy a handle cancels the task and
// lets it go, without waiting: a job owns what it touches.
template <typename T>
class [[nodiscard]] Task {
 public:
  Task() = default;  // of no task
  explicit Task(std::shared_ptr<TaskOf<T>> state) : state_(std::move(state)) {}
  ~Task() { cancel(); }
  Task(Task&& other) noexcept = default;
  Task& operator=(Task&& other) noexcept {
    if (this == &other) return *this;
    cancel();
    state_ = std::move(other.state_);
    return *this;
  }

  // There is a task, and its product was not taken.
  explicit operator bool() const { return state_ != nullptr; }
  bool ended() const { return state_ && state_->ended(); }
  Progress& progress() { return state_->progress(); }
  const Progress& progress() const { return state_->progress(); }

  // These do nothing without a task.
  void wait() const {
    if (state_) state_->wait();
  }
  void wait_for(std::chrono::milliseconds longest) const {
    if (state_) state_->wait_for(longest);
  }
  void cancel() {
    if (state_) state_->cancel();
  }
  // Returns whether there is a task that had not begun and now never will.
  bool withdraw() { return state_ && state_->withdraw(); }
  // Cancels it, waits until it does nothing any more, and lets it go.
  void finish() {
    cancel();
    wait();
    state_.reset();
  }

  // The product, or why there is none; waits for it. Then there is no task.
  Result<T> take() {
    state_->wait();
    return *std::move(std::exchange(state_, nullptr)->product);
  }
  std::shared_ptr<const TaskState> watch() const { return state_; }

 private:
  std::shared_ptr<TaskOf<T>> state_;
};

// A task with its job.
template <typename Job>
class JobTask final : public TaskOf<JobProduct<Job>> {
 public:
  explicit JobTask(Job job) : job_(std::move(job)) {}

 private:
  void make(const std::function<void()>& before) override {
    this->product.emplace(run_job(
        [&](Progress& progress) {
          before();
          return (*job_)(progress);
        },
        this->progress_));
    job_.reset();
  }
  void make_none(Error why) override {
    this->product.emplace(std::move(why));
    job_.reset();
  }

  std::optional<Job> job_;
};

}  // namespace dlview::base
