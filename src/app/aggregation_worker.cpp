#include "app/aggregation_worker.h"

#include <cassert>
#include <chrono>
#include <utility>

namespace dlview::app {

TimedAggregation aggregate_timed(aggregate::Aggregator& engine,
                                 const aggregate::Selection& selection) {
  const auto start = std::chrono::steady_clock::now();
  auto aggregation = std::make_shared<const aggregate::Aggregation>(engine.aggregate(selection));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return {std::move(aggregation), selection, took.count()};
}

AggregationWorker::AggregationWorker(std::unique_ptr<aggregate::Aggregator> engine,
                                     std::function<void()> wake)
    : engine_(std::move(engine)), wake_(std::move(wake)), thread_([this] { work(); }) {}

AggregationWorker::~AggregationWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool AggregationWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || waiting_ || answer_ || failure_;
}

TimedAggregation AggregationWorker::compute_now(const aggregate::Selection& selection) {
  assert(!busy());
  return aggregate_timed(*engine_, selection);
}

void AggregationWorker::request(const aggregate::Selection& selection) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = selection;
  }
  changed_.notify_all();
}

void AggregationWorker::drop_waiting() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
}

std::optional<TimedAggregation> AggregationWorker::take_answer() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return std::exchange(answer_, std::nullopt);
}

void AggregationWorker::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !waiting_ && !running_; });
}

std::optional<TimedAggregation> AggregationWorker::compute(const aggregate::Selection& selection,
                                                           std::exception_ptr& failure) {
  try {
    return aggregate_timed(*engine_, selection);
  } catch (...) {
    failure = std::current_exception();
    return std::nullopt;
  }
}

void AggregationWorker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || waiting_; });
    if (stopping_) return;
    const aggregate::Selection selection = *std::exchange(waiting_, std::nullopt);
    running_ = true;
    lock.unlock();
    std::exception_ptr failure;
    std::optional<TimedAggregation> answer = compute(selection, failure);
    lock.lock();
    answer_ = std::move(answer);
    failure_ = failure;
    running_ = false;
    changed_.notify_all();
    lock.unlock();
    wake_();
    lock.lock();
  }
}

}  // namespace dlview::app
