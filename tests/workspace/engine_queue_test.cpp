#include "workspace/engine_queue.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/fake_engine.h"
#include "workspace/session_support.h"

namespace dlview::workspace {
namespace {

// What an engine was asked, and who waits at its gate before each bit that it prepares.
struct EngineLog {
  void add(const std::string& question) {
    const std::lock_guard lock(mutex);
    questions.push_back(question);
  }
  std::vector<std::string> all() {
    const std::lock_guard lock(mutex);
    return questions;
  }

  Gate gate;
  std::atomic<int> bits_left = 3;
  std::atomic<bool> preparing = false;
  bool fails = false;

 private:
  std::mutex mutex;
  std::vector<std::string> questions;
};

class PreparingEngine : public aggregate::FakeEngine {
 public:
  PreparingEngine(std::unique_ptr<aggregate::Engine> engine, EngineLog& log)
      : FakeEngine(std::move(engine), {}), log_(log) {}

  bool prepare_filters() override {
    log_.preparing = true;
    log_.gate.pass();
    log_.preparing = false;
    log_.add("prepare");
    if (log_.fails) throw std::runtime_error("no memory to prepare in");
    return --log_.bits_left > 0;
  }
  aggregate::RowCells rows(aggregate::Part part, profile::Row first, profile::Row end) override {
    log_.add("rows");
    return FakeEngine::rows(part, first, end);
  }

 private:
  EngineLog& log_;
};

class EngineQueueTest : public ::testing::Test {
 protected:
  EngineQueueTest()
      : worker_(std::in_place, scheduler_,
                aggregate::make_engine_aggregator(
                    std::make_shared<const profile::Profile>(testing::random_profile({.seed = 5})),
                    {[this](const profile::Profile& profile,
                            std::shared_ptr<const aggregate::ProfileIndex> index) {
                      return std::make_unique<PreparingEngine>(
                          aggregate::cpu_engine()(profile, std::move(index)), log_);
                    }}),
                EngineQueue::MakeEngine()) {}

  void wait_for_bits() const {
    while (log_.bits_left > 0) std::this_thread::yield();
  }
  // Behind a bit that is being prepared until the gate opens.
  void begin_at_gate() {
    log_.gate.close();
    worker_->begin();
    while (!log_.preparing) std::this_thread::yield();
  }
  std::optional<TimedAggregation> answer() {
    worker_->wait_until_idle();
    worker_->poll();
    return worker_->take_answer();
  }

  EngineLog log_;
  base::Scheduler scheduler_;
  std::optional<EngineQueue> worker_;
};

using Questions = std::vector<std::string>;

TEST_F(EngineQueueTest, PreparesUntilNothingIsLeftAndIsNotBusyWithIt) {
  begin_at_gate();
  EXPECT_FALSE(worker_->busy());
  worker_->wait_until_idle();
  log_.gate.open();
  wait_for_bits();
  EXPECT_EQ(log_.all(), Questions(3, "prepare"));
}

TEST_F(EngineQueueTest, AnswersBetweenTwoBits) {
  begin_at_gate();
  worker_->request({});
  log_.gate.open();
  EXPECT_TRUE(answer());
  wait_for_bits();
  EXPECT_EQ(log_.all(), (Questions{"prepare", "rows", "prepare", "prepare"}));
}

TEST_F(EngineQueueTest, ComputesNowWhenABitIsDone) {
  begin_at_gate();
  std::thread other([this] { EXPECT_TRUE(worker_->compute_now({}).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(log_.all(), Questions{});
  log_.gate.open();
  other.join();
  wait_for_bits();
  EXPECT_EQ(log_.all(), (Questions{"prepare", "rows", "prepare", "prepare"}));
}

// As an engine that is chosen by its answers has.
TEST_F(EngineQueueTest, PreparesWhatThereIsToDoAfterAnAnswer) {
  log_.bits_left = 1;
  worker_->begin();
  wait_for_bits();
  log_.bits_left = 2;
  EXPECT_TRUE(worker_->compute_now({}).ok());
  wait_for_bits();
  EXPECT_EQ(log_.all(), (Questions{"prepare", "rows", "prepare", "prepare"}));
}

// Where it has many ops it takes longer than a frame.
TEST_F(EngineQueueTest, FreesAnAnswerWithTheNextRequest) {
  worker_->request({});
  auto first = answer();
  ASSERT_TRUE(first);
  const std::weak_ptr<const aggregate::Aggregation> watched = first->aggregation;
  worker_->request({});
  auto second = answer();
  ASSERT_TRUE(second);
  EXPECT_FALSE(watched.expired()) << "it is still shown";
  first.reset();
  EXPECT_FALSE(watched.expired()) << "freed here";
  worker_->request({});
  EXPECT_TRUE(answer());
  EXPECT_TRUE(watched.expired());
}

TEST_F(EngineQueueTest, AFailureToPrepareIsNoAnswer) {
  log_.fails = true;
  worker_->begin();
  while (log_.all().empty()) std::this_thread::yield();
  worker_->request({});
  EXPECT_TRUE(answer());
  EXPECT_FALSE(worker_->take_failure());
  EXPECT_EQ(log_.all()[1], "rows");
}

TEST_F(EngineQueueTest, AnswersTheLastRequestThenThePreview) {
  begin_at_gate();
  for (int64_t last = 1; last < 5; ++last) worker_->request({kStartCut, {0, last}});
  worker_->request_preview(kEndCut);
  worker_->request_preview(kStartCut);
  worker_->request({kStartCut, {0, 5}});
  EXPECT_TRUE(worker_->busy());
  log_.gate.open();
  const auto last = answer();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->requested.range.last, 5);
  EXPECT_EQ(worker_->take_preview()->cut, kStartCut);
  EXPECT_FALSE(worker_->busy());
  wait_for_bits();
  EXPECT_EQ(std::ranges::count(log_.all(), "rows"), 1);
}

TEST_F(EngineQueueTest, ForgetsAWaitingRequest) {
  begin_at_gate();
  worker_->request({});
  worker_->drop_waiting();
  EXPECT_FALSE(worker_->busy());
  std::thread other([this] { EXPECT_TRUE(worker_->compute_now({}).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(log_.all(), Questions{}) << "the bit is not done";
  log_.gate.open();
  other.join();
  EXPECT_EQ(std::ranges::count(log_.all(), "rows"), 1) << "that of now";
}

TEST_F(EngineQueueTest, DoesNotWaitAtItsEnd) {
  begin_at_gate();
  worker_->request({});
  worker_.reset();
  log_.gate.open();
  scheduler_.wait_until_idle();
  EXPECT_EQ(log_.all(), Questions{"prepare"});
}

TEST_F(EngineQueueTest, FailsWhereNoEngineCanBeMade) {
  worker_.emplace(scheduler_, nullptr,
                  []() -> std::unique_ptr<aggregate::Aggregator> { throw std::bad_alloc(); });
  EXPECT_TRUE(worker_->busy());
  worker_->request({});
  EXPECT_FALSE(answer());
  EXPECT_TRUE(worker_->lacks_engine());
  EXPECT_EQ(worker_->take_failure()->title, "Not enough memory");
}

}  // namespace
}  // namespace dlview::workspace
