#include "app/aggregation_worker.h"

#include <cassert>
#include <chrono>
#include <utility>

#include "base/exceptions.h"

namespace dlview::app {
namespace {

EngineFacts facts_of(const aggregate::Aggregator& engine) {
  return {std::string(engine.name()), engine.notice(), engine.reason()};
}

}  // namespace

TimedAggregation aggregate_timed(aggregate::Aggregator& engine,
                                 const aggregate::Selection& selection) {
  const auto start = std::chrono::steady_clock::now();
  auto aggregation = std::make_shared<const aggregate::Aggregation>(engine.aggregate(selection));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return {std::move(aggregation), selection, took.count(), facts_of(engine)};
}

AggregationWorker::AggregationWorker(std::unique_ptr<aggregate::Aggregator> engine,
                                     MakeEngine make_engine, std::function<void()> wake)
    : engine_(std::move(engine)),
      make_engine_(std::move(make_engine)),
      wake_(std::move(wake)),
      running_(engine_ == nullptr) {}

void AggregationWorker::begin() {
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
}

AggregationWorker::~AggregationWorker() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void AggregationWorker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

bool AggregationWorker::lacks_engine() const {
  const std::lock_guard lock(mutex_);
  return engine_ == nullptr && !running_;
}

bool AggregationWorker::has_ended() const {
  const std::lock_guard lock(mutex_);
  return ended_ || !thread_.joinable();
}

bool AggregationWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || waiting_ || answer_ || failure_ || waiting_cut_ || preview_ || made_engine_;
}

// Keeps the worker's thread from the engine as long as it lives.
class AggregationWorker::UseNow {
 public:
  explicit UseNow(AggregationWorker& worker) : worker_(worker) {
    std::unique_lock lock(worker_.mutex_);
    worker_.computing_now_ = true;
    worker_.changed_.wait(lock, [this] { return !worker_.preparing_; });
  }
  ~UseNow() {
    {
      const std::lock_guard lock(worker_.mutex_);
      worker_.computing_now_ = false;
      worker_.has_to_prepare_ = true;
    }
    worker_.changed_.notify_all();
  }
  UseNow(const UseNow&) = delete;
  UseNow& operator=(const UseNow&) = delete;

 private:
  AggregationWorker& worker_;
};

TimedAggregation AggregationWorker::compute_now(const aggregate::Selection& selection) {
  assert(!busy());
  const UseNow use(*this);
  return aggregate_timed(*engine_, selection);
}

void AggregationWorker::request(const aggregate::Selection& selection) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = selection;
  }
  changed_.notify_all();
}

void AggregationWorker::request_preview(const aggregate::Cut& cut) {
  {
    const std::lock_guard lock(mutex_);
    waiting_cut_ = cut;
  }
  changed_.notify_all();
}

void AggregationWorker::drop_waiting() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
}

std::optional<TimedAggregation> AggregationWorker::take_answer() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

std::optional<base::Error> AggregationWorker::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

std::optional<CutPreview> AggregationWorker::take_preview() {
  const std::lock_guard lock(mutex_);
  return std::exchange(preview_, std::nullopt);
}

std::optional<EngineFacts> AggregationWorker::take_made_engine() {
  const std::lock_guard lock(mutex_);
  return std::exchange(made_engine_, std::nullopt);
}

void AggregationWorker::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_ || (!waiting_ && !waiting_cut_ && !running_); });
}

void AggregationWorker::aggregate(const aggregate::Selection& selection) {
  TimedAggregation answer = aggregate_timed(*engine_, selection);
  const std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
}

void AggregationWorker::cut(const aggregate::Cut& cut) {
  CutPreview preview{cut, engine_->iteration_table(cut)};
  const std::lock_guard lock(mutex_);
  preview_ = std::move(preview);
}

void AggregationWorker::do_next(std::unique_lock<std::mutex>& lock) {
  const auto selection = std::exchange(waiting_, std::nullopt);
  const auto cut_to_show = selection ? std::nullopt : std::exchange(waiting_cut_, std::nullopt);
  running_ = true;
  has_to_prepare_ = true;
  lock.unlock();
  std::optional<base::Error> failure;
  try {
    if (selection) aggregate(*selection);
    if (cut_to_show) cut(*cut_to_show);
  } catch (...) {
    failure = base::error_of_current_exception();
  }
  lock.lock();
  if (failure) failure_ = std::move(failure);
  running_ = false;
}

// Without an engine there is nothing that could answer later.
void AggregationWorker::make_engine(std::unique_lock<std::mutex>& lock) {
  if (engine_) return;
  lock.unlock();
  std::optional<base::Error> failure;
  try {
    engine_ = make_engine_();
  } catch (...) {
    failure = base::error_of_current_exception();
  }
  lock.lock();
  if (engine_) made_engine_ = facts_of(*engine_);
  stopping_ = stopping_ || failure;
  failure_ = std::move(failure);
  running_ = false;
  changed_.notify_all();
  lock.unlock();
  wake_();
  lock.lock();
}

// What fails here is said by the first filter, which needs it.
void AggregationWorker::prepare(std::unique_lock<std::mutex>& lock) {
  preparing_ = true;
  lock.unlock();
  bool is_left = false;
  try {
    is_left = engine_->prepare_filters();
  } catch (...) {
  }
  lock.lock();
  preparing_ = false;
  has_to_prepare_ = is_left;
  changed_.notify_all();
}

void AggregationWorker::work() {
  std::unique_lock lock(mutex_);
  make_engine(lock);
  const auto is_asked = [this] { return waiting_ || waiting_cut_; };
  while (true) {
    changed_.wait(lock,
                  [&] { return stopping_ || is_asked() || (has_to_prepare_ && !computing_now_); });
    if (stopping_) break;
    if (!is_asked()) {
      prepare(lock);
      continue;
    }
    do_next(lock);
    changed_.notify_all();
    lock.unlock();
    wake_();
    lock.lock();
  }
  ended_ = true;
  lock.unlock();
  wake_();  // whoever keeps a stopped worker lets it go in the next poll
}

}  // namespace dlview::app
