// Requests that need no file, and an engine that answers only when a test lets it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "support/random_profile.h"
#include "workspace/engine.h"
#include "workspace/session.h"

namespace dlview::workspace {

inline const std::string kKeyOp(testing::kRandomKeyOp);
inline const aggregate::Cut kStartCut{aggregate::CutKind::start, kKeyOp};
inline const aggregate::Cut kEndCut{aggregate::CutKind::end, kKeyOp};

// Opens a random profile with eleven iterations or so, at all of them.
inline OpenRequest random_request() {
  OpenRequest request;
  request.name = "/profiles/random.sqlite";
  request.load = [](base::Progress& progress) -> base::Result<profile::Profile> {
    progress.begin_stage("Generating");
    return testing::random_profile({.seed = 5});
  };
  request.choose = [](const aggregate::KeyRanking& ranking) -> base::Result<FirstSelection> {
    const auto count = aggregate::cut_iterations(ranking.profile(), kStartCut).rows.size();
    return FirstSelection{{kStartCut, {0, static_cast<int64_t>(count) - 1}}, ""};
  };
  request.make_engine = engine_factory(EngineChoice::cpu);
  return request;
}

inline OpenRequest failing_request() {
  OpenRequest request = random_request();
  request.load = [](base::Progress&) -> base::Result<profile::Profile> {
    return base::Error{"The file is a poem", "ode.txt begins with O", "Open a profile"};
  };
  return request;
}

// While it is closed, engines wait. Copies are the same gate: a loading that was given up may
// stand before it when the test that made it is over.
class Gate {
 public:
  void close() {
    const std::lock_guard lock(bar_->mutex);
    bar_->open = false;
  }
  void open() {
    {
      const std::lock_guard lock(bar_->mutex);
      bar_->open = true;
    }
    bar_->changed.notify_all();
  }
  void pass() {
    std::unique_lock lock(bar_->mutex);
    bar_->changed.wait(lock, [this] { return bar_->open; });
  }

 private:
  struct Bar {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = true;
  };
  std::shared_ptr<Bar> bar_ = std::make_shared<Bar>();
};

// The CPU engine behind a gate. Every answer takes longer than a frame may wait.
class GatedAggregator : public aggregate::Aggregator {
 public:
  GatedAggregator(std::shared_ptr<const profile::Profile> profile, Gate gate)
      : Aggregator(profile),
        engine_(aggregate::make_cpu_aggregator(profile)),
        gate_(std::move(gate)) {}

  std::shared_ptr<const aggregate::IterationTable> iteration_table(
      const aggregate::Cut& cut) override {
    return engine_->iteration_table(cut);
  }
  std::string_view name() const override { return "gated"; }

 private:
  aggregate::Aggregation compute(const aggregate::Selection& selection) override {
    gate_.pass();
    std::this_thread::sleep_for(std::chrono::milliseconds(6));
    return engine_->aggregate(selection);
  }

  std::unique_ptr<aggregate::Aggregator> engine_;
  Gate gate_;
};

inline OpenRequest gated_request(const Gate& gate) {
  OpenRequest request = random_request();
  request.make_engine = [gate](std::shared_ptr<const profile::Profile> profile) {
    return std::make_unique<GatedAggregator>(std::move(profile), gate);
  };
  return request;
}

// A slow engine that has no memory for some selections.
class HungryAggregator : public aggregate::Aggregator {
 public:
  explicit HungryAggregator(const std::shared_ptr<const profile::Profile>& profile)
      : Aggregator(profile), engine_(aggregate::make_cpu_aggregator(profile)) {}

  std::shared_ptr<const aggregate::IterationTable> iteration_table(
      const aggregate::Cut& cut) override {
    return engine_->iteration_table(cut);
  }
  std::string_view name() const override { return "hungry"; }

 private:
  aggregate::Aggregation compute(const aggregate::Selection& selection) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(6));
    if (selection.range.first > 0) throw std::bad_alloc();
    return engine_->aggregate(selection);
  }

  std::unique_ptr<aggregate::Aggregator> engine_;
};

inline OpenRequest hungry_request() {
  OpenRequest request = random_request();
  request.make_engine = [](const std::shared_ptr<const profile::Profile>& profile) {
    return std::make_unique<HungryAggregator>(profile);
  };
  return request;
}

// The CPU engine with a memory: the second answer to a selection takes no time on any machine.
class RememberingAggregator : public aggregate::Aggregator {
 public:
  explicit RememberingAggregator(std::shared_ptr<const profile::Profile> profile)
      : Aggregator(profile), engine_(aggregate::make_cpu_aggregator(profile)) {}

  std::shared_ptr<const aggregate::IterationTable> iteration_table(
      const aggregate::Cut& cut) override {
    return engine_->iteration_table(cut);
  }
  std::string_view name() const override { return "remembering"; }

 protected:
  aggregate::Aggregation compute(const aggregate::Selection& selection) override {
    for (const auto& [asked, answer] : answers_) {
      if (asked == selection) return answer;
    }
    return answers_.emplace_back(selection, engine_->aggregate(selection)).second;
  }

 private:
  std::unique_ptr<aggregate::Aggregator> engine_;
  std::vector<std::pair<aggregate::Selection, aggregate::Aggregation>> answers_;
};

// The same, but slow where it has to cut first.
class SlowToCutAggregator : public RememberingAggregator {
 public:
  using RememberingAggregator::RememberingAggregator;
  std::shared_ptr<const aggregate::IterationTable> iteration_table(
      const aggregate::Cut& cut) override {
    this->cut(cut);
    return RememberingAggregator::iteration_table(cut);
  }

 private:
  aggregate::Aggregation compute(const aggregate::Selection& selection) override {
    cut(selection.cut);
    return RememberingAggregator::compute(selection);
  }
  void cut(const aggregate::Cut& cut) {
    if (cut_ != cut) std::this_thread::sleep_for(std::chrono::milliseconds(6));
    cut_ = cut;
  }

  std::optional<aggregate::Cut> cut_;
};

inline OpenRequest slow_to_cut_request() {
  OpenRequest request = random_request();
  request.make_engine = [](std::shared_ptr<const profile::Profile> profile) {
    return std::make_unique<SlowToCutAggregator>(std::move(profile));
  };
  return request;
}

inline OpenRequest remembering_request() {
  OpenRequest request = random_request();
  request.make_engine = [](std::shared_ptr<const profile::Profile> profile) {
    return std::make_unique<RememberingAggregator>(std::move(profile));
  };
  return request;
}

}  // namespace dlview::workspace
