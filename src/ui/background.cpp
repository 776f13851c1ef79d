#include "ui/background.h"

#include <utility>

#include "base/exceptions.h"
#include "base/thread_priority.h"

namespace dlview::ui {

Background::Background(std::function<void()> wake)
    : wake_(std::move(wake)), thread_([this] { work(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void Background::run(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
    if (holds_ == 0) let_begin();
  }
  changed_.notify_all();
}

void Background::run_now(const std::function<void()>& job) {
  try {
    job();
  } catch (...) {
    keep_failure();
    news_ = true;
  }
}

void Background::keep_failure() {
  base::Error error = base::error_of_current_exception();
  const std::lock_guard lock(mutex_);
  failure_ = std::move(error);
}

std::optional<base::Error> Background::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

Background::Hold::Hold(Background& background) : background_(&background) {
  const std::lock_guard lock(background_->mutex_);
  ++background_->holds_;
}

Background::Hold::~Hold() {
  if (background_ == nullptr) return;
  {
    const std::lock_guard lock(background_->mutex_);
    if (--background_->holds_ == 0) background_->let_begin();
  }
  background_->changed_.notify_all();
}

bool Background::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || !waiting_.empty();
}

void Background::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !running_ && waiting_.empty(); });
}

void Background::work() {
  base::give_way_to_other_threads();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || may_begin_ > 0; });
    if (stopping_) return;
    {
      const std::function<void()> job = std::move(waiting_.front());
      waiting_.pop_front();
      --may_begin_;
      running_ = true;
      lock.unlock();
      try {
        job();
      } catch (...) {
        keep_failure();
      }
    }
    news_ = true;
    wake_();
    lock.lock();
    running_ = false;
    changed_.notify_all();
  }
}

}  // namespace dlview::ui
