#include "base/thread_priority.h"

#ifdef __linux__
#include <sched.h>
#endif
#include <thread>

#include <gtest/gtest.h>

namespace dlview::base {
namespace {

#ifdef __linux__
TEST(ThreadPriority, OnlyTheThreadThatCallsGivesWay) {
  const int before = sched_getscheduler(0);
  int in_thread = -1;
  std::thread([&in_thread] {
    give_way_to_other_threads();
    in_thread = sched_getscheduler(0);
  }).join();
  EXPECT_EQ(in_thread, SCHED_BATCH);
  EXPECT_EQ(sched_getscheduler(0), before);
}
#endif

}  // namespace
}  // namespace dlview::base
