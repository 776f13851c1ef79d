// EngineQueue: an engine and its requests that are too slow for a frame: aggregations, and the
// iterations of a previewed split. At most one request of each kind waits; a newer one replaces it,
// and aggregations go first. While the queue is empty, the engine prepares data for filters in
// small steps. Main thread only; the destructor cancels running work without waiting for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/aggregator.h"
#include "base/result.h"
#include "base/scheduler.h"

namespace dlview::workspace {

// Facts about an aggregator; no name = there is none yet.
struct EngineFacts {
  std::string name, notice, reason;
};

struct TimedAggregation {
  std::shared_ptr<const aggregate::Aggregation> aggregation;
  aggregate::Selection requested;  // aggregation->selection may be clamped
  double ms = 0;
  EngineFacts engine;  // at the time of this answer; none for a cached answer
};

TimedAggregation aggregate_timed(aggregate::Aggregator& engine,
                                 const aggregate::Selection& selection);

// The iterations of a split, without an aggregation.
struct CutPreview {
  aggregate::Cut cut;
  std::shared_ptr<const aggregate::IterationTable> table;
};

class EngineQueue {
 public:
  using MakeEngine = std::function<std::unique_ptr<aggregate::Aggregator>()>;

  // `engine` null = it is made in a task.
  EngineQueue(base::Scheduler& scheduler, std::unique_ptr<aggregate::Aggregator> engine,
              MakeEngine make_engine);

  // Begins to make the engine, and to prepare; the first request does so, too.
  void begin();
  // It could not be made, and nothing will be answered.
  bool lacks_engine() const { return engine_state_ == EngineState::lacking; }

  // Whether a request waits or runs, or an answer has not been taken. Preparing does not count.
  bool busy() const;
  // Computes within the call; only while not busy. Waits for the current preparation step.
  base::Result<TimedAggregation> compute_now(const aggregate::Selection& selection);
  void request(const aggregate::Selection& selection);
  void request_preview(const aggregate::Cut& cut);
  // Forgets a waiting request; one that runs still ends with an answer.
  void drop_waiting();

  // Takes over what has ended; then the functions below have it.
  void poll();
  // The newest answer, once.
  std::optional<TimedAggregation> take_answer() { return std::exchange(answer_, std::nullopt); }
  // Why the last request has no answer, once, or why there is no engine.
  std::optional<base::Error> take_failure() { return std::exchange(failure_, std::nullopt); }
  std::optional<CutPreview> take_preview() { return std::exchange(preview_, std::nullopt); }
  // Returns the facts of the engine that a task created, once.
  std::optional<EngineFacts> take_made_engine() {
    return std::exchange(made_engine_, std::nullopt);
  }
  // Blocks until nothing waits or is being computed.
  void wait_until_idle() const;

 private:
  struct Engine;
  enum class EngineState { not_made, made, lacking };

  void start_preview(const aggregate::Cut& cut);
  void prepare();

  base::Strand strand_;
  std::shared_ptr<Engine> engine_;  // to the tasks, and to this thread while none of them runs
  EngineState engine_state_;
  bool has_begun_ = false;
  base::Task<EngineFacts> making_;
  // In order; the last one may wait for a running one.
  std::vector<base::Task<TimedAggregation>> aggregations_;
  std::vector<base::Task<CutPreview>> previews_;
  aggregate::Cut preview_cut_;                        // requested last
  std::vector<base::Task<base::Success>> preparing_;  // all but the last one are canceled
  std::optional<TimedAggregation> answer_;
  std::optional<CutPreview> preview_;
  std::optional<EngineFacts> made_engine_;
  std::optional<base::Error> failure_;
};

}  // namespace dlview::workspace
