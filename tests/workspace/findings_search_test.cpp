#include "workspace/findings_search.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "base/sanitizers.h"
#include "generate/demo.h"
#include "workspace/session_support.h"

namespace dlview::workspace {
namespace {

std::shared_ptr<const aggregate::KeyRanking> ranking_of(
    const std::shared_ptr<const profile::Profile>& profile) {
  return std::make_shared<const aggregate::KeyRanking>(*profile);
}

// The thread of the first finding waits until the gate opens.
class FindingsSearchTest : public ::testing::Test {
 protected:
  FindingsSearchTest() {
    gate_.close();
    worker_ = std::make_unique<FindingsSearch>(scheduler_, profile_, ranking_of(profile_));
    wakes_.wait(0);
  }
  ~FindingsSearchTest() override { gate_.open(); }
  void find_all() {
    gate_.open();
    worker_->wait_until_idle();
    worker_->take_news();
  }

  std::shared_ptr<const profile::Profile> profile_ =
      std::make_shared<const profile::Profile>(testing::random_profile({.seed = 5}));
  Gate gate_;
  std::atomic<int> wakes_ = 0, jobs_ = 0;
  base::Scheduler scheduler_{[this] {
                               ++wakes_;
                               wakes_.notify_all();
                               gate_.pass();
                             },
                             [this] { ++jobs_; }};
  std::unique_ptr<FindingsSearch> worker_;
};

TEST_F(FindingsSearchTest, TellsOfEachFindingAsSoonAsItIsThere) {
  EXPECT_TRUE(worker_->take_news());
  EXPECT_FALSE(worker_->take_news()) << "once";
  EXPECT_NE(worker_->findings().key_ops, nullptr);
  EXPECT_EQ(worker_->findings().rules, nullptr);
  EXPECT_TRUE(worker_->busy());
  gate_.open();
  worker_->wait_until_idle();
  EXPECT_TRUE(worker_->take_news());
  EXPECT_NE(worker_->findings().rules, nullptr);
  EXPECT_FALSE(worker_->busy());
}

TEST_F(FindingsSearchTest, LooksForUnknownUseUnlessItIsKnown) {
  find_all();
  EXPECT_NE(worker_->findings().unknown_use, nullptr);

  const Findings quick = quick_findings(*profile_);
  ASSERT_NE(quick.unknown_use, nullptr) << "few events";
  FindingsSearch next(scheduler_, profile_, ranking_of(profile_), quick);
  EXPECT_EQ(next.findings().unknown_use, quick.unknown_use) << "before any task";
  next.wait_until_idle();
  next.take_news();
  EXPECT_EQ(next.findings().unknown_use, quick.unknown_use);
}

TEST_F(FindingsSearchTest, BuildsLanesOnceSomebodyWantsThem) {
  find_all();
  EXPECT_EQ(worker_->findings().lanes, nullptr);
  worker_->want_lanes();
  find_all();
  const auto lanes = worker_->findings().lanes;
  ASSERT_NE(lanes, nullptr);
  EXPECT_FALSE(lanes->groups.empty());
  worker_->want_lanes();
  find_all();
  EXPECT_EQ(worker_->findings().lanes, lanes);
}

TEST_F(FindingsSearchTest, LooksForTheOutliersOfTheLastTable) {
  const auto engine = aggregate::make_cpu_aggregator(profile_);
  const auto first = engine->iteration_table(kStartCut), last = engine->iteration_table(kEndCut);
  worker_->request(first);
  worker_->request(last);
  worker_->want_lanes();  // they come first
  find_all();
  EXPECT_EQ(worker_->findings().table, last);
  EXPECT_NE(worker_->findings().outliers, nullptr);
  EXPECT_NE(worker_->findings().lanes, nullptr);
  EXPECT_FALSE(worker_->take_failure());
  EXPECT_EQ(jobs_, 5) << "ops, unknown use, rules, lanes, and outliers once";
}

TEST_F(FindingsSearchTest, KeepsTheErrorOfWhatCouldNotBeFound) {
  std::atomic<int> jobs = 0;
  base::Scheduler scheduler([] {},
                            [&] {
                              if (++jobs == 1) throw std::bad_alloc();
                            });
  FindingsSearch hungry(scheduler, profile_, ranking_of(profile_));
  hungry.wait_until_idle();
  EXPECT_TRUE(hungry.take_news());
  const auto failure = hungry.take_failure();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->title, "Not enough memory");
  EXPECT_FALSE(hungry.take_failure()) << "once";
  EXPECT_EQ(hungry.findings().key_ops, nullptr);
  EXPECT_NE(hungry.findings().rules, nullptr) << "the rest is found";
}

TEST_F(FindingsSearchTest, SaysWhyLanesLackPythonFrames) {
  std::atomic<bool> fails = false;
  base::Scheduler scheduler([] {},
                            [&] {
                              if (fails) throw std::bad_alloc();
                            });
  FindingsSearch search(scheduler, profile_, ranking_of(profile_));
  search.want_lanes();
  search.wait_until_idle();
  search.take_news();
  const auto lanes = search.findings().lanes;
  ASSERT_NE(lanes, nullptr);
  fails = true;
  search.want_frame_lanes(std::make_shared<const profile::PythonFrames>());
  search.wait_until_idle();
  EXPECT_TRUE(search.take_news());
  ASSERT_TRUE(search.findings().frame_lanes_error);
  EXPECT_EQ(search.findings().frame_lanes_error->title, "Not enough memory");
  EXPECT_EQ(search.findings().lanes, lanes) << "without frames";
  EXPECT_FALSE(search.busy());
  fails = false;
  const auto frames = std::make_shared<const profile::PythonFrames>();
  search.want_frame_lanes(frames);
  EXPECT_FALSE(search.busy()) << "not again by itself";
  search.forget_frame_lanes_error();
  EXPECT_FALSE(search.findings().frame_lanes_error);
  search.want_frame_lanes(frames);
  search.wait_until_idle();
  EXPECT_TRUE(search.take_news());
  EXPECT_FALSE(search.findings().frame_lanes_error);
  EXPECT_NE(search.findings().lanes->events.frames(), nullptr);
  search.forget_frame_lanes_error();
  search.want_frame_lanes(frames);
  EXPECT_FALSE(search.busy()) << "once";
}

TEST_F(FindingsSearchTest, LooksForNoMoreAtItsEndAndDoesNotWait) {
  worker_->request(aggregate::make_cpu_aggregator(profile_)->iteration_table(kStartCut));
  worker_.reset();
  gate_.open();
  scheduler_.wait_until_idle();
  EXPECT_EQ(jobs_, 1);
}

// Whatever it looks for, it ends soon after it was canceled.
TEST(FindingsOfALargeProfile, EndWithin200Milliseconds) {
  using std::chrono::milliseconds;
  base::Progress progress;
  const int64_t kernels = base::kHasSanitizer ? 20'000 : 1'000'000;
  auto made =
      generate::make_demo_profile({.iterations = kernels / 500, .kernels = kernels}, progress);
  ASSERT_TRUE(made.ok());
  const auto profile = std::make_shared<const profile::Profile>(*std::move(made));
  const auto engine = aggregate::make_cpu_aggregator(profile);
  const auto table =
      engine->iteration_table(aggregate::default_selection(aggregate::KeyRanking(*profile)).cut);
  const auto begin_of_all = std::chrono::steady_clock::now();
  const auto time_since = [](std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
  };
  // Without that in which a busy machine runs others.
  const auto processor_time = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return milliseconds(time.tv_sec * 1000 + time.tv_nsec / 1'000'000);
  };
  bool is_found = false;
  for (milliseconds after{0}; !is_found; after = after * 5 / 4 + milliseconds(1)) {
    base::Scheduler scheduler;
    std::optional<FindingsSearch> worker(std::in_place, scheduler, profile, ranking_of(profile));
    worker->request(table);
    worker->want_lanes();
    std::this_thread::sleep_for(after);
    worker->take_news();
    is_found = !worker->busy();
    worker.reset();
    const auto begin = std::chrono::steady_clock::now();
    const milliseconds begin_processor = processor_time();
    scheduler.wait_until_idle();
    const milliseconds took = std::min(time_since(begin), processor_time() - begin_processor);
    EXPECT_LT(took, milliseconds(200)) << "canceled after " << after.count() << " ms";
    ASSERT_LT(time_since(begin_of_all), std::chrono::minutes(4));
  }
}

}  // namespace
}  // namespace dlview::workspace
