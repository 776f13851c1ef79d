#include "app/findings_worker.h"

#include <atomic>
#include <memory>
#include <new>
#include <thread>

#include <gtest/gtest.h>

#include "app/session_support.h"

namespace dlview::app {
namespace {

// The worker's thread waits behind its first finding until the gate opens.
class FindingsWorkerTest : public ::testing::Test {
 protected:
  FindingsWorkerTest() {
    gate_.close();
    worker_ = std::make_unique<FindingsWorker>(
        profile_, std::make_shared<const aggregate::KeyRanking>(*profile_), [this] {
          ++wakes_;
          wakes_.notify_all();
          gate_.pass();
        });
    wakes_.wait(0);
  }
  ~FindingsWorkerTest() override { gate_.open(); }

  std::shared_ptr<const profile::Profile> profile_ =
      std::make_shared<const profile::Profile>(testing::random_profile({.seed = 5}));
  Gate gate_;
  std::atomic<int> wakes_ = 0;
  std::unique_ptr<FindingsWorker> worker_;
};

TEST_F(FindingsWorkerTest, TellsOfEachFindingAsSoonAsItIsThere) {
  EXPECT_TRUE(worker_->take_news());
  EXPECT_NE(worker_->findings().key_ops, nullptr);
  EXPECT_EQ(worker_->findings().rules, nullptr);
  EXPECT_TRUE(worker_->busy());
  gate_.open();
  worker_->wait_until_idle();
  EXPECT_TRUE(worker_->take_news());
  EXPECT_NE(worker_->findings().rules, nullptr);
}

TEST_F(FindingsWorkerTest, PutsEventsInOrderOfTimeOnceSomebodyWantsThat) {
  gate_.open();
  worker_->wait_until_idle();
  EXPECT_EQ(worker_->findings().lanes, nullptr);
  worker_->want_lanes();
  worker_->wait_until_idle();
  const auto lanes = worker_->findings().lanes;
  ASSERT_NE(lanes, nullptr);
  EXPECT_FALSE(lanes->groups.empty());
  worker_->want_lanes();
  worker_->wait_until_idle();
  EXPECT_EQ(worker_->findings().lanes, lanes);
}

TEST_F(FindingsWorkerTest, KeepsTheErrorOfWhatCouldNotBeFound) {
  FindingsWorker hungry(
      profile_, std::make_shared<const aggregate::KeyRanking>(*profile_), [] {},
      [] { throw std::bad_alloc(); });
  hungry.wait_until_idle();
  const auto failure = hungry.take_failure();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->title, "Not enough memory");
  EXPECT_FALSE(hungry.take_failure()) << "once";
  EXPECT_NE(hungry.findings().rules, nullptr) << "the rest is found";
}

TEST_F(FindingsWorkerTest, LooksForNoMoreOnceItIsToStop) {
  worker_->stop();
  EXPECT_FALSE(worker_->has_ended());
  gate_.open();
  while (!worker_->has_ended()) std::this_thread::yield();
  EXPECT_EQ(worker_->findings().rules, nullptr);
}

}  // namespace
}  // namespace dlview::app
