#include "workspace/engine_queue.h"

#include <cassert>
#include <chrono>
#include <utility>

#include "base/stop_point.h"

namespace dlview::workspace {
namespace {

EngineFacts facts_of(const aggregate::Aggregator& engine) {
  return {std::string(engine.name()), engine.notice(), engine.reason()};
}

// Of tasks that have not begun; whether there was one.
template <typename T>
bool withdraw(std::vector<base::Task<T>>& tasks) {
  return std::erase_if(tasks, [](base::Task<T>& task) { return task.withdraw(); }) > 0;
}

}  // namespace

TimedAggregation aggregate_timed(aggregate::Aggregator& engine,
                                 const aggregate::Selection& selection) {
  const auto start = std::chrono::steady_clock::now();
  auto aggregation = std::make_shared<const aggregate::Aggregation>(engine.aggregate(selection));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return {std::move(aggregation), selection, took.count(), facts_of(engine)};
}

// Tasks use it one at a time.
struct EngineQueue::Engine {
  std::unique_ptr<aggregate::Aggregator> made;
  MakeEngine make;
  // To free an aggregation of many ops takes milliseconds. The last reference is therefore one of
  // these, and a task drops it.
  std::vector<std::shared_ptr<const aggregate::Aggregation>> answered = {};

  // Throws Stopped if the engine could not be made; requests then get no answer.
  aggregate::Aggregator& get() const {
    if (!made) throw base::Stopped();
    return *made;
  }

  TimedAggregation answer(const aggregate::Selection& selection) {
    TimedAggregation timed = aggregate_timed(get(), selection);
    answered.push_back(timed.aggregation);
    return timed;
  }
  void free_unused() {
    std::erase_if(answered, [](const auto& aggregation) { return aggregation.use_count() == 1; });
  }
};

EngineQueue::EngineQueue(base::Scheduler& scheduler, std::unique_ptr<aggregate::Aggregator> engine,
                         MakeEngine make_engine)
    : strand_(scheduler, base::Arena::interactive),
      engine_(std::make_shared<Engine>(Engine{std::move(engine), std::move(make_engine)})),
      engine_state_(engine_->made ? EngineState::made : EngineState::not_made) {}

void EngineQueue::begin() {
  if (std::exchange(has_begun_, true)) return;
  if (engine_state_ == EngineState::not_made) {
    making_ = strand_.start([engine = engine_](const base::Progress&) {
      engine->made = engine->make();
      return facts_of(*engine->made);
    });
  }
  prepare();
}

bool EngineQueue::busy() const {
  return engine_state_ == EngineState::not_made || !aggregations_.empty() || !previews_.empty() ||
         answer_ || preview_ || made_engine_ || failure_;
}

base::Result<TimedAggregation> EngineQueue::compute_now(const aggregate::Selection& selection) {
  assert(!busy());
  for (auto& task : preparing_) task.finish();
  preparing_.clear();
  base::Progress progress;
  base::Result<TimedAggregation> answer =
      base::run_job([&](const base::Progress&) { return engine_->answer(selection); }, progress);
  if (has_begun_) {
    prepare();
  } else {
    engine_->free_unused();
  }
  return answer;
}

void EngineQueue::request(const aggregate::Selection& selection) {
  begin();
  drop_waiting();
  aggregations_.push_back(strand_.start([engine = engine_, selection](const base::Progress&) {
    engine->free_unused();
    return engine->answer(selection);
  }));
  if (withdraw(previews_)) start_preview(preview_cut_);
  prepare();
}

void EngineQueue::request_preview(const aggregate::Cut& cut) {
  begin();
  withdraw(previews_);
  preview_cut_ = cut;
  start_preview(cut);
  prepare();
}

void EngineQueue::start_preview(const aggregate::Cut& cut) {
  previews_.push_back(strand_.start([engine = engine_, cut](const base::Progress&) {
    return CutPreview{cut, engine->get().iteration_table(cut)};
  }));
}

void EngineQueue::drop_waiting() {
  withdraw(aggregations_);
}

// Runs after pending requests. Errors are ignored here; the first filter reports them.
void EngineQueue::prepare() {
  for (auto& task : preparing_) task.cancel();
  std::erase_if(preparing_, [](const auto& task) { return task.ended(); });
  preparing_.push_back(strand_.start([engine = engine_](const base::Progress& progress) {
    engine->free_unused();
    const base::JobScope whole(nullptr);  // a bit is not left half done
    while (!progress.canceled() && engine->get().prepare_filters()) continue;
  }));
}

void EngineQueue::poll() {
  if (making_ && !making_.ended()) return;  // what follows it comes after its facts
  if (making_) {
    base::Result<EngineFacts> made = making_.take();
    engine_state_ = made ? EngineState::made : EngineState::lacking;
    if (!made) {
      aggregations_.clear();
      previews_.clear();
      failure_ = made.error();
      return;
    }
    made_engine_ = *std::move(made);
  }
  const auto take_over = [this](auto& tasks, auto& product) {
    while (!tasks.empty() && tasks.front().ended()) {
      auto made = tasks.front().take();
      tasks.erase(tasks.begin());
      if (made) {
        product = *std::move(made);
      } else {
        failure_ = made.error();
      }
    }
  };
  take_over(aggregations_, answer_);
  take_over(previews_, preview_);
}

void EngineQueue::wait_until_idle() const {
  making_.wait();
  for (const auto& task : aggregations_) task.wait();
  for (const auto& task : previews_) task.wait();
}

}  // namespace dlview::workspace
