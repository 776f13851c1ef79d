#include "base/progress.h"

#include <algorithm>
#include <utility>

namespace dlview::base {

void Progress::begin_stage(std::string name, int64_t total) {
  const std::scoped_lock lock(mutex_);
  stage_ = std::move(name);
  total_ = total;
  done_ = 0;
}

void Progress::cancel() {
  canceled_.store(true, std::memory_order_relaxed);
  stop_.request_stop();
}

void Progress::stop(Error reason) {
  {
    const std::scoped_lock lock(mutex_);
    if (!stop_reason_) stop_reason_ = std::move(reason);
  }
  cancel();
}

std::optional<Error> Progress::stop_reason() const {
  const std::scoped_lock lock(mutex_);
  return stop_reason_;
}

Progress::Snapshot Progress::snapshot() const {
  const std::scoped_lock lock(mutex_);
  return {stage_, done_.load(), total_.load()};
}

float Progress::Snapshot::fraction() const {
  if (total <= 0) return 0.0F;
  return std::clamp(static_cast<float>(done) / static_cast<float>(total), 0.0F, 1.0F);
}

}  // namespace dlview::base
