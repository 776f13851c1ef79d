#include "app/findings_worker.h"

#include <exception>
#include <utility>

namespace dlview::app {

FindingsWorker::FindingsWorker(std::shared_ptr<const profile::Profile> profile,
                               std::shared_ptr<const aggregate::KeyRanking> ranking,
                               std::function<void()> wake)
    : profile_(std::move(profile)),
      ranking_(std::move(ranking)),
      wake_(std::move(wake)),
      thread_([this] { work(); }) {}

FindingsWorker::~FindingsWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FindingsWorker::request(std::shared_ptr<const aggregate::IterationTable> table) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(table);
  }
  changed_.notify_all();
}

bool FindingsWorker::take_news() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return std::exchange(news_, false);
}

Findings FindingsWorker::findings() const {
  const std::lock_guard lock(mutex_);
  return findings_;
}

bool FindingsWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || waiting_ || news_ || failure_;
}

void FindingsWorker::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !running_ && !waiting_; });
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

void FindingsWorker::find_outliers(std::shared_ptr<const aggregate::IterationTable> table) {
  auto outliers =
      std::make_shared<const aggregate::Outliers>(aggregate::find_outliers(*profile_, *table));
  const std::lock_guard lock(mutex_);
  findings_.outliers = std::move(outliers);
  findings_.table = std::move(table);
}

void FindingsWorker::work() {
  std::shared_ptr<const aggregate::IterationTable> table;  // null = the first round
  while (true) {
    std::exception_ptr failure;
    try {
      if (table) {
        find_outliers(table);
      } else {
        find_key_ops();
        find_rules();
      }
    } catch (...) {
      failure = std::current_exception();
    }
    std::unique_lock lock(mutex_);
    if (failure) failure_ = failure;
    news_ = true;
    running_ = false;
    changed_.notify_all();
    lock.unlock();
    wake_();
    lock.lock();
    changed_.wait(lock, [this] { return stopping_ || waiting_; });
    if (stopping_) return;
    table = std::exchange(waiting_, nullptr);
    running_ = true;
  }
}

}  // namespace dlview::app
