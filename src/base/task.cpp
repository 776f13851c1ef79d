#include "base/task.h"

#include "base/exceptions.h"

namespace dlview::base {

Error error_of_job(const Progress& progress) {
  try {
    throw;
  } catch (const Stopped&) {
    if (std::optional<Error> reason = progress.stop_reason()) return *std::move(reason);
  } catch (...) {
  }
  return error_of_current_exception();
}

void TaskState::wait() const {
  std::unique_lock lock(mutex_);
  has_ended_.wait(lock, [this] { return ended(); });
}

bool TaskState::wait_for(std::chrono::milliseconds longest) const {
  std::unique_lock lock(mutex_);
  return has_ended_.wait_for(lock, longest, [this] { return ended(); });
}

bool TaskState::leave_waiting() {
  Stage stage = Stage::waiting;
  return stage_.compare_exchange_strong(stage, Stage::running);
}

void TaskState::end() {
  {
    const std::lock_guard lock(mutex_);
    stage_.store(Stage::ended, std::memory_order_release);
  }
  has_ended_.notify_all();
}

bool TaskState::withdraw() {
  if (!leave_waiting()) return false;
  progress_.cancel();
  make_none(run_job([](Progress&) { stop_point(); }, progress_).error());
  end();
  return true;
}

void TaskState::cancel() {
  if (!withdraw()) progress_.cancel();
}

bool TaskState::run(const std::function<void()>& before) {
  if (!leave_waiting()) return false;
  make(before);
  end();
  return true;
}

}  // namespace dlview::base
