// AggregationWorker: owns an engine and the thread on which it computes what is too slow for a
// frame: aggregations, and the iterations of a cut that is only looked at. At most one request of
// each kind waits; a newer one takes its place, and aggregations come first. While none waits, the
// engine prepares for filters, bit by bit.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "aggregate/aggregator.h"
#include "base/result.h"

namespace dlview::app {

// What an aggregator says of itself; no name = there is none yet.
struct EngineFacts {
  std::string name, notice, reason;
};

struct TimedAggregation {
  std::shared_ptr<const aggregate::Aggregation> aggregation;
  aggregate::Selection requested;  // aggregation->selection may be clamped
  double ms = 0;
  EngineFacts engine;  // as it was with this answer; none for an answer that was kept
};

TimedAggregation aggregate_timed(aggregate::Aggregator& engine,
                                 const aggregate::Selection& selection);

// The iterations of a cut, nothing aggregated.
struct CutPreview {
  aggregate::Cut cut;
  std::shared_ptr<const aggregate::IterationTable> table;
};

class AggregationWorker {
 public:
  using MakeEngine = std::function<std::unique_ptr<aggregate::Aggregator>()>;

  // `wake` is called on the worker's thread whenever an answer is ready, and when it has ended.
  // `engine` null = it is made on that thread first. begin() starts the thread; until then requests
  // wait.
  AggregationWorker(std::unique_ptr<aggregate::Aggregator> engine, MakeEngine make_engine,
                    std::function<void()> wake);
  // Waits for the computation that runs.
  ~AggregationWorker();
  void begin();
  // Ends after what is being computed, and does not wait for that.
  void stop();
  // It could not be made, and nothing will be answered.
  bool lacks_engine() const;
  // Whether the thread has come to its end.
  bool has_ended() const;
  AggregationWorker(const AggregationWorker&) = delete;
  AggregationWorker& operator=(const AggregationWorker&) = delete;

  // Something waits or is being computed, or an answer has not been taken. Who prepares is not
  // busy.
  bool busy() const;
  // Computes on the calling thread; only while not busy. Waits for a bit of preparing.
  TimedAggregation compute_now(const aggregate::Selection& selection);
  void request(const aggregate::Selection& selection);
  void request_preview(const aggregate::Cut& cut);
  // Forgets a waiting request; one that runs still ends with an answer.
  void drop_waiting();

  // The newest answer, once.
  std::optional<TimedAggregation> take_answer();
  // Why the last request has no answer, once: what the engine threw on the worker's thread.
  std::optional<base::Error> take_failure();
  std::optional<CutPreview> take_preview();
  // Of the engine that was made on the worker's thread, once.
  std::optional<EngineFacts> take_made_engine();
  // Blocks until nothing waits or runs.
  void wait_until_idle();

 private:
  class UseNow;

  void work();
  void make_engine(std::unique_lock<std::mutex>& lock);
  void do_next(std::unique_lock<std::mutex>& lock);
  void prepare(std::unique_lock<std::mutex>& lock);
  // Both are called without the lock and leave their answer under it.
  void aggregate(const aggregate::Selection& selection);
  void cut(const aggregate::Cut& cut);

  std::unique_ptr<aggregate::Aggregator> engine_;
  MakeEngine make_engine_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<aggregate::Selection> waiting_;
  std::optional<TimedAggregation> answer_;
  std::optional<aggregate::Cut> waiting_cut_;
  std::optional<CutPreview> preview_;
  std::optional<EngineFacts> made_engine_;
  std::optional<base::Error> failure_;
  bool running_;
  // After each answer it is asked again: answers may have chosen another engine.
  bool has_to_prepare_ = true;
  bool preparing_ = false;
  bool computing_now_ = false;  // on another thread, or about to
  bool stopping_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace dlview::app
