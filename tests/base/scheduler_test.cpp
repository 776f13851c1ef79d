#include "base/scheduler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

#include <gtest/gtest.h>

#include "base/parallel.h"

namespace dlview::base {
namespace {

using std::chrono::milliseconds;

// Long enough that a task which nothing holds up would have begun.
constexpr milliseconds kAMoment{30};

// A task that has begun and ends when it is let go, or canceled.
class Running {
 public:
  template <typename Where>
  explicit Running(Where& where, Arena arena = Arena::interactive) {
    auto job = [shared = shared_](Progress& progress) {
      shared->begun = true;
      shared->begun.notify_all();
      while (!shared->may_end && !progress.canceled()) std::this_thread::yield();
      stop_point();
      return 1;
    };
    if constexpr (std::is_same_v<Where, Strand>) {
      task = where.start(job);
    } else {
      task = where.start(arena, job);
    }
    shared_->begun.wait(false);
  }
  void let_go() { shared_->may_end = true; }

  Task<int> task;

 private:
  struct Shared {
    std::atomic<bool> begun = false, may_end = false;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

TEST(Scheduler, GivesWhatAJobReturns) {
  Scheduler scheduler;
  EXPECT_EQ(scheduler.start(Arena::interactive, [](Progress&) { return 7; }).take().value(), 7);
  Task<std::unique_ptr<int>> moved =
      scheduler.start(Arena::background, [](Progress&) { return std::make_unique<int>(8); });
  EXPECT_TRUE(moved);
  EXPECT_EQ(**moved.take(), 8);
  EXPECT_FALSE(moved);
  const Error error{"The file is a poem", "ode.txt", "Open a profile."};
  Task<int> failed =
      scheduler.start(Arena::interactive, [&](Progress&) -> Result<int> { return Error(error); });
  EXPECT_EQ(failed.take().error(), error);
  Task<Success> nothing = scheduler.start(Arena::interactive, [](Progress&) {});
  EXPECT_TRUE(nothing.take().ok());
}

TEST(Scheduler, TurnsWhatAJobThrowsIntoAnError) {
  Scheduler scheduler;
  const auto title_after = [&](auto thrown) {
    return scheduler.start(Arena::interactive, [thrown](Progress&) { throw thrown; })
        .take()
        .error()
        .title;
  };
  EXPECT_EQ(title_after(std::bad_alloc()), "Not enough memory");
  EXPECT_EQ(title_after(std::runtime_error("no regex")), "dlview failed");
  EXPECT_EQ(title_after(3), "dlview failed");
  EXPECT_EQ(title_after(Stopped()), "Canceled");
}

TEST(Scheduler, TellsWhyATaskWasStopped) {
  Scheduler scheduler;
  Task<Success> task = scheduler.start(Arena::interactive, [](Progress& progress) {
    progress.stop({"The file takes too long to open", "", "Wait."});
    parallel_for(100, 1, [](std::size_t, std::size_t) { FAIL() << "it is canceled"; });
  });
  EXPECT_EQ(task.take().error().title, "The file takes too long to open");
}

TEST(Scheduler, TellsHowFarATaskIs) {
  Scheduler scheduler;
  std::promise<void> begun;
  Task<Success> task = scheduler.start(Arena::interactive, [&](Progress& progress) {
    progress.begin_stage("Reading", 4);
    progress.set_done(1);
    begun.set_value();
    while (!progress.canceled()) std::this_thread::yield();
  });
  begun.get_future().wait();
  EXPECT_EQ(task.progress().snapshot().stage, "Reading");
  EXPECT_EQ(task.progress().snapshot().done, 1);
}

TEST(Scheduler, NeverCallsAJobThatWasCanceledBefore) {
  Scheduler scheduler;
  const auto owned = std::make_shared<int>(0);
  std::atomic<bool> was_called = false;
  const std::optional<Scheduler::Hold> hold(std::in_place, scheduler);
  Task<Success> task =
      scheduler.start(Arena::background, [owned, &was_called](Progress&) { was_called = true; });
  EXPECT_FALSE(task.ended());
  EXPECT_EQ(owned.use_count(), 2);
  task.cancel();
  EXPECT_TRUE(task.ended());
  EXPECT_EQ(owned.use_count(), 1) << "the job is let go at once";
  EXPECT_EQ(task.take().error().title, "Canceled");
  EXPECT_FALSE(was_called);
}

TEST(Scheduler, StopsARunningTaskAtItsStopPoint) {
  Scheduler scheduler;
  Running running(scheduler);
  EXPECT_FALSE(running.task.withdraw()) << "it has begun";
  EXPECT_FALSE(running.task.progress().canceled());
  running.task.cancel();
  EXPECT_EQ(running.task.take().error().title, "Canceled");
}

TEST(Scheduler, CancelsATaskWhoseHandleIsDestroyed) {
  Scheduler scheduler;
  const auto watch = [&] {
    const Running running(scheduler);
    return running.task.watch();
  }();
  watch->wait();
  EXPECT_TRUE(watch->progress().canceled());
}

TEST(Scheduler, CancelsATaskWhoseHandleGetsAnother) {
  Scheduler scheduler;
  Running running(scheduler);
  const auto watch = running.task.watch();
  running.task = scheduler.start(Arena::interactive, [](Progress&) { return 2; });
  watch->wait();
  EXPECT_TRUE(watch->progress().canceled());
  EXPECT_EQ(running.task.take().value(), 2);
}

TEST(Scheduler, FinishesATaskBeforeItsThingsAreUsed) {
  Scheduler scheduler;
  int counted = 0;
  std::atomic<bool> begun = false;
  Task<Success> task = scheduler.start(Arena::interactive, [&](Progress& progress) {
    begun = true;
    while (!progress.canceled()) ++counted;
  });
  while (!begun) std::this_thread::yield();
  task.finish();
  EXPECT_FALSE(task);
  EXPECT_GE(counted, 0) << "ThreadSanitizer sees that the task is over";
}

TEST(Scheduler, WaitsNoLongerThanItIsTold) {
  Scheduler scheduler;
  Running running(scheduler);
  running.task.wait_for(milliseconds(1));
  EXPECT_FALSE(running.task.ended());
  running.let_go();
  running.task.wait_for(std::chrono::hours(1));
  EXPECT_TRUE(running.task.ended());
}

TEST(Scheduler, WakesOnceForEachTaskThatRan) {
  std::atomic<int> wakes = 0;
  std::thread::id thread, wake_thread;
  Scheduler scheduler([&] {
    ++wakes;
    wake_thread = std::this_thread::get_id();
  });
  Task<Success> good =
      scheduler.start(Arena::interactive, [&](Progress&) { thread = std::this_thread::get_id(); });
  scheduler.wait_until_idle();
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(thread, wake_thread);
  Task<Success> bad =
      scheduler.start(Arena::interactive, [](Progress&) { throw std::bad_alloc(); });
  scheduler.wait_until_idle();
  EXPECT_EQ(wakes, 2);
  { const Running running(scheduler); }
  scheduler.wait_until_idle();
  EXPECT_EQ(wakes, 3) << "for one that was canceled, too";
  {
    const Scheduler::Hold hold(scheduler);
    scheduler.start(Arena::background, [](Progress&) {}).cancel();
  }
  scheduler.wait_until_idle();
  EXPECT_EQ(wakes, 3) << "not for one that never began";
}

TEST(Scheduler, WakesAfterTheTaskHasEnded) {
  std::atomic<const Task<int>*> task = nullptr;
  std::atomic<bool> had_ended = false;
  Scheduler scheduler([&] { had_ended = task.load()->ended(); });
  Running running(scheduler);
  task = &running.task;
  running.let_go();
  scheduler.wait_until_idle();
  EXPECT_TRUE(had_ended);
}

TEST(Scheduler, ALongTaskHoldsUpNoOther) {
  Scheduler scheduler;
  for (const Arena arena : {Arena::interactive, Arena::background}) {
    const Running first(scheduler, arena), second(scheduler, arena);
    EXPECT_EQ(scheduler.start(arena, [](Progress&) { return 3; }).take().value(), 3);
  }
}

TEST(Scheduler, TasksBeyondTheLastThreadWaitInOrder) {
  Scheduler scheduler;
  std::vector<std::unique_ptr<Running>> running;
  for (std::size_t i = 0; i < Scheduler::kMostThreads; ++i) {
    running.push_back(std::make_unique<Running>(scheduler));
  }
  std::vector<int> order;  // one thread at a time: only one is free
  std::vector<Task<Success>> tasks;
  for (int i = 0; i < 20; ++i) {
    tasks.push_back(scheduler.start(Arena::interactive, [&, i](Progress&) { order.push_back(i); }));
  }
  std::this_thread::sleep_for(kAMoment);
  EXPECT_FALSE(tasks.front().ended());
  running.front()->let_go();
  for (const Task<Success>& task : tasks) task.wait();
  ASSERT_EQ(order.size(), 20U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(Scheduler, StartsAThreadOnlyWhenNoneIsFree) {
  Scheduler scheduler;
  std::unordered_set<std::thread::id> threads;
  for (int i = 0; i < 20; ++i) {
    threads.insert(
        scheduler.start(Arena::interactive, [](Progress&) { return std::this_thread::get_id(); })
            .take()
            .value());
    scheduler.wait_until_idle();
  }
  EXPECT_EQ(threads.size(), 1U);
}

#ifdef __linux__
TEST(Scheduler, OnlyBackgroundThreadsGiveWay) {
  Scheduler scheduler;
  const auto policy = [](Progress&) { return sched_getscheduler(0); };
  EXPECT_EQ(scheduler.start(Arena::background, policy).take().value(), SCHED_BATCH);
  EXPECT_NE(scheduler.start(Arena::interactive, policy).take().value(), SCHED_BATCH);
}
#endif

TEST(Scheduler, CancelsWhatRunsAndDropsWhatWaitsAtItsEnd) {
  std::optional<Scheduler> scheduler(std::in_place);
  Strand strand(*scheduler, Arena::interactive);
  Running running(strand), other(*scheduler);
  std::atomic<bool> was_called = false;
  const auto call = [&was_called](Progress&) { was_called = true; };
  Task<Success> behind = strand.start(call), last = strand.start(call);
  scheduler.reset();
  EXPECT_EQ(running.task.take().error().title, "Canceled");
  EXPECT_EQ(other.task.take().error().title, "Canceled");
  EXPECT_EQ(behind.take().error().title, "Canceled");
  EXPECT_EQ(last.take().error().title, "Canceled");
  EXPECT_FALSE(was_called);
}

TEST(Scheduler, CancelsWhatATaskStartsAtItsEnd) {
  std::atomic<bool> was_called = false, begun = false;
  Task<Success> inner;
  {
    Scheduler scheduler;
    Task<Success> outer = scheduler.start(Arena::interactive, [&](Progress& progress) {
      begun = true;
      while (!progress.canceled()) std::this_thread::yield();
      inner = scheduler.start(Arena::interactive, [&](Progress&) { was_called = true; });
    });
    while (!begun) std::this_thread::yield();
  }
  EXPECT_EQ(inner.take().error().title, "Canceled");
  EXPECT_FALSE(was_called);
}

TEST(Scheduler, CountsAFailureBeforeAJobAsTheJobs) {
  Scheduler scheduler([] {}, [] { throw std::bad_alloc(); });
  Task<int> task = scheduler.start(Arena::interactive, [](Progress&) { return 1; });
  EXPECT_EQ(task.take().error().title, "Not enough memory");
}

TEST(Scheduler, TakesTasksFromManyThreads) {
  constexpr int kThreads = 8, kTasks = 200;
  std::atomic<int> wakes = 0, sum = 0;
  int strand_sum = 0;
  Scheduler scheduler([&] { ++wakes; });
  Strand strand(scheduler, Arena::background);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      std::vector<Task<Success>> tasks;
      for (int k = 0; k < kTasks; ++k) {
        const Arena arena = k % 2 == 0 ? Arena::interactive : Arena::background;
        tasks.push_back(scheduler.start(arena, [&](Progress&) { ++sum; }));
        if ((i + k) % 4 == 0) tasks.push_back(strand.start([&](Progress&) { ++strand_sum; }));
      }
      for (Task<Success>& task : tasks) EXPECT_TRUE(task.take().ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  scheduler.wait_until_idle();
  EXPECT_EQ(sum, kThreads * kTasks);
  EXPECT_EQ(strand_sum, kThreads * kTasks / 4);
  EXPECT_EQ(wakes, kThreads * kTasks * 5 / 4);
}

TEST(Strand, RunsItsTasksOneByOneInOrder) {
  Scheduler scheduler;
  Strand strand(scheduler, Arena::interactive);
  std::atomic<int> running = 0;
  std::vector<int> order;
  std::vector<Task<Success>> tasks;
  for (int i = 0; i < 100; ++i) {
    tasks.push_back(strand.start([&, i](Progress&) {
      EXPECT_EQ(++running, 1);
      order.push_back(i);
      --running;
    }));
  }
  scheduler.wait_until_idle();
  ASSERT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(Strand, GoesOnAfterATaskThatFailsAndOneThatIsWithdrawn) {
  Scheduler scheduler;
  Strand strand(scheduler, Arena::interactive);
  Running running(strand);
  Task<Success> failing = strand.start([](Progress&) { throw std::bad_alloc(); });
  Task<Success> withdrawn = strand.start([](Progress&) { FAIL(); });
  Task<int> last = strand.start([](Progress&) { return 4; });
  EXPECT_TRUE(withdrawn.withdraw());
  EXPECT_FALSE(withdrawn.withdraw()) << "it has ended";
  running.let_go();
  EXPECT_EQ(last.take().value(), 4);
  EXPECT_TRUE(failing.ended());
}

TEST(Strand, HoldsUpNoTaskOutsideIt) {
  Scheduler scheduler;
  Strand strand(scheduler, Arena::background), other(scheduler, Arena::background);
  const Running running(strand);
  const Task<int> behind = strand.start([](Progress&) { return 1; });
  EXPECT_EQ(other.start([](Progress&) { return 2; }).take().value(), 2);
  EXPECT_EQ(scheduler.start(Arena::background, [](Progress&) { return 3; }).take().value(), 3);
  EXPECT_FALSE(behind.ended());
}

class HoldTest : public ::testing::Test {
 protected:
  Task<Success> run() {
    return scheduler_.start(Arena::background, [this](Progress&) { has_run_ = true; });
  }
  bool has_run() {
    std::this_thread::sleep_for(kAMoment);
    return has_run_;
  }

  std::atomic<bool> has_run_ = false;
  Scheduler scheduler_;
};

TEST_F(HoldTest, TasksBeginAfterTheFrameThatStartsThem) {
  std::optional<Scheduler::Hold> hold(std::in_place, scheduler_);
  const Task<Success> task = run();
  EXPECT_FALSE(has_run());
  hold.reset();
  task.wait();
  EXPECT_TRUE(has_run_);
}

TEST_F(HoldTest, TasksBeginAfterTheLastOfSeveral) {
  std::optional<Scheduler::Hold> outer(std::in_place, scheduler_);
  std::optional<Scheduler::Hold> inner(std::in_place, scheduler_);
  const Task<Success> task = run();
  inner.reset();
  EXPECT_FALSE(has_run());
  outer.reset();
  task.wait();
}

TEST_F(HoldTest, HoldsOnceWhenItMoves) {
  std::optional<Scheduler::Hold> hold(std::in_place, scheduler_);
  std::optional<Scheduler::Hold> moved(std::move(hold));
  const Task<Success> task = run();
  hold.reset();
  EXPECT_FALSE(has_run());
  moved.reset();
  task.wait();
}

// Else frames that follow each other at once would keep them from ever beginning.
TEST_F(HoldTest, TasksOfOneFrameMayBeginInTheNext) {
  Strand strand(scheduler_, Arena::background);
  Running running(strand);
  Task<Success> task;
  {
    const Scheduler::Hold frame(scheduler_);
    task = strand.start([this](Progress&) { has_run_ = true; });
  }
  const Scheduler::Hold next_frame(scheduler_);
  running.let_go();
  task.wait();
  EXPECT_TRUE(has_run_);
}

TEST_F(HoldTest, HoldsNothingThatIsInteractive) {
  const Scheduler::Hold hold(scheduler_);
  EXPECT_EQ(scheduler_.start(Arena::interactive, [](Progress&) { return 1; }).take().value(), 1);
}

TEST_F(HoldTest, KeepsTheOrderOfAStrand) {
  Strand strand(scheduler_, Arena::background);
  std::vector<int> order;
  const auto add = [&](int number) {
    return strand.start([&order, number](Progress&) { order.push_back(number); });
  };
  Running running(strand);
  std::vector<Task<Success>> tasks;
  tasks.push_back(add(1));
  {
    const Scheduler::Hold hold(scheduler_);
    tasks.push_back(add(2));
    tasks.push_back(add(3));
  }
  tasks.push_back(add(4));
  running.let_go();
  scheduler_.wait_until_idle();
  EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
}

}  // namespace
}  // namespace dlview::base
