#include "app/aggregation_worker.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/fake_engine.h"
#include "app/session_support.h"

namespace dlview::app {
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

class AggregationWorkerTest : public ::testing::Test {
 protected:
  AggregationWorkerTest()
      : worker_(aggregate::make_engine_aggregator(
                    std::make_shared<const profile::Profile>(testing::random_profile({.seed = 5})),
                    {[this](const profile::Profile& profile,
                            std::shared_ptr<const aggregate::ProfileIndex> index) {
                      return std::make_unique<PreparingEngine>(
                          aggregate::cpu_engine()(profile, std::move(index)), log_);
                    }}),
                {}, [this] { ++wakes_; }) {}

  void wait_for_bits() const {
    while (log_.bits_left > 0) std::this_thread::yield();
  }

  EngineLog log_;
  std::atomic<int> wakes_ = 0;
  AggregationWorker worker_;
};

using Questions = std::vector<std::string>;

TEST_F(AggregationWorkerTest, PreparesUntilNothingIsLeftAndIsNotBusyWithIt) {
  log_.gate.close();
  worker_.begin();
  while (!log_.preparing) std::this_thread::yield();
  EXPECT_FALSE(worker_.busy());
  worker_.wait_until_idle();
  log_.gate.open();
  wait_for_bits();
  EXPECT_EQ(log_.all(), Questions(3, "prepare"));
}

TEST_F(AggregationWorkerTest, AnswersBetweenTwoBits) {
  log_.gate.close();
  worker_.begin();
  while (!log_.preparing) std::this_thread::yield();
  worker_.request({});
  log_.gate.open();
  worker_.wait_until_idle();
  EXPECT_TRUE(worker_.take_answer());
  wait_for_bits();
  EXPECT_EQ(log_.all(), (Questions{"prepare", "rows", "prepare", "prepare"}));
}

TEST_F(AggregationWorkerTest, ComputesNowWhenABitIsDone) {
  log_.gate.close();
  worker_.begin();
  while (!log_.preparing) std::this_thread::yield();
  std::thread other([this] { worker_.compute_now({}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(log_.all(), Questions{});
  log_.gate.open();
  other.join();
  wait_for_bits();
  EXPECT_EQ(log_.all(), (Questions{"prepare", "rows", "prepare", "prepare"}));
}

// As an engine that is chosen by its answers has.
TEST_F(AggregationWorkerTest, PreparesWhatThereIsToDoAfterAnAnswer) {
  log_.bits_left = 1;
  worker_.begin();
  wait_for_bits();
  log_.bits_left = 2;
  worker_.compute_now({});
  wait_for_bits();
  EXPECT_EQ(log_.all(), (Questions{"prepare", "rows", "prepare", "prepare"}));
}

TEST_F(AggregationWorkerTest, AFailureToPrepareIsNoAnswer) {
  log_.fails = true;
  worker_.begin();
  while (log_.all().empty()) std::this_thread::yield();
  worker_.request({});
  worker_.wait_until_idle();
  EXPECT_TRUE(worker_.take_answer());
  EXPECT_FALSE(worker_.take_failure());
  EXPECT_EQ(log_.all()[1], "rows");
}

// The window sleeps until somebody wakes it, and keeps what has not ended.
TEST_F(AggregationWorkerTest, WakesWhenItHasEnded) {
  worker_.begin();
  wait_for_bits();
  worker_.stop();
  while (wakes_ == 0) std::this_thread::yield();
  EXPECT_TRUE(worker_.has_ended());
}

}  // namespace
}  // namespace dlview::app
