#include "app/findings_worker.h"

#include <utility>

#include "base/exceptions.h"
#include "base/thread_priority.h"

namespace dlview::app {

FindingsWorker::FindingsWorker(std::shared_ptr<const profile::Profile> profile,
                               std::shared_ptr<const aggregate::KeyRanking> ranking,
                               std::function<void()> wake, std::function<void()> first)
    : profile_(std::move(profile)),
      ranking_(std::move(ranking)),
      wake_(std::move(wake)),
      first_steps_{[this, first = std::move(first)] {
                     find_key_ops();
                     first();
                   },
                   [this] { find_rules(); }},
      thread_([this] { work(); }) {}

FindingsWorker::~FindingsWorker() {
  stop();
  thread_.join();
}

void FindingsWorker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

bool FindingsWorker::has_ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void FindingsWorker::request(std::shared_ptr<const aggregate::IterationTable> table) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(table);
  }
  changed_.notify_all();
}

void FindingsWorker::want_lanes() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(wants_lanes_, true)) return;
    first_steps_.push_back([this] { find_lanes(); });  // behind the rules, which they need
  }
  changed_.notify_all();
}

bool FindingsWorker::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, false);
}

std::optional<base::Error> FindingsWorker::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

Findings FindingsWorker::findings() const {
  const std::lock_guard lock(mutex_);
  return findings_;
}

bool FindingsWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || has_next() || news_ || failure_;
}

void FindingsWorker::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_ || (!running_ && !has_next()); });
}

void FindingsWorker::find_key_ops() {
  std::shared_ptr<const std::vector<aggregate::KeyOpCandidate>> key_ops(ranking_,
                                                                        &ranking_->candidates());
  const std::lock_guard lock(mutex_);
  findings_.key_ops = std::move(key_ops);
}

void FindingsWorker::find_rules() {
  auto rules = std::make_shared<const aggregate::RuleIndex>(*profile_);
  const std::lock_guard lock(mutex_);
  findings_.rules = std::move(rules);
}

void FindingsWorker::find_lanes() {
  auto lanes = ui::timeline::build_lanes(profile_, findings().rules);
  const std::lock_guard lock(mutex_);
  findings_.lanes = std::move(lanes);
}

void FindingsWorker::find_outliers(std::shared_ptr<const aggregate::IterationTable> table) {
  auto outliers = std::make_shared<const aggregate::Outliers>(
      aggregate::find_outliers(*profile_, *table, findings().rules.get()));
  const std::lock_guard lock(mutex_);
  findings_.outliers = std::move(outliers);
  findings_.table = std::move(table);
}

FindingsWorker::Step FindingsWorker::take_next() {
  if (first_steps_.empty()) {
    return [this, table = std::exchange(waiting_, nullptr)] { find_outliers(table); };
  }
  Step step = std::move(first_steps_.front());
  first_steps_.pop_front();
  return step;
}

void FindingsWorker::do_next(std::unique_lock<std::mutex>& lock) {
  const Step step = take_next();
  running_ = true;
  lock.unlock();
  std::optional<base::Error> failure;
  try {
    step();
  } catch (...) {
    failure = base::error_of_current_exception();
  }
  lock.lock();
  if (failure) failure_ = std::move(failure);
  news_ = true;
  running_ = false;
}

void FindingsWorker::work() {
  base::give_way_to_other_threads();
  std::unique_lock lock(mutex_);
  while (!ended_) {
    changed_.wait(lock, [this] { return stopping_ || has_next(); });
    if (stopping_) {
      ended_ = true;
    } else {
      do_next(lock);
    }
    changed_.notify_all();
    lock.unlock();
    wake_();
    lock.lock();
  }
}

}  // namespace dlview::app
