#include "base/stop_point.h"

#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "base/parallel_algorithms.h"
#include "base/sanitizers.h"

namespace dlview::base {
namespace {

TEST(StopPoint, ThrowsOnceTheJobIsCanceled) {
  Progress progress;
  const JobScope scope(&progress);
  EXPECT_NO_THROW(stop_point());
  progress.cancel();
  EXPECT_THROW(stop_point(), Stopped);
}

TEST(StopPoint, ObeysTheInnermostJob) {
  Progress outer, inner;
  outer.cancel();
  EXPECT_NO_THROW(stop_point());
  const JobScope scope(&outer);
  {
    const JobScope inner_scope(&inner);
    EXPECT_NO_THROW(stop_point());
  }
  EXPECT_EQ(current_job(), &outer);
  EXPECT_THROW(stop_point(), Stopped);
}

TEST(StopPoint, EndsALoopBetweenItsPieces) {
  Progress progress;
  const JobScope scope(&progress);
  std::atomic<int> indices = 0;
  const auto body = [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(current_job(), &progress);
    indices += static_cast<int>(end - begin);
    progress.cancel();
  };
  EXPECT_THROW(parallel_for(1'000'000, 1'000, body), Stopped);
  EXPECT_LT(indices, 900'000);
  EXPECT_THROW(parallel_for(1, 1, body), Stopped);
}

TEST(StopPoint, EndsASort) {
#ifdef DLVIEW_THREAD_SANITIZER
  GTEST_SKIP() << "std::sort is used, which cannot be stopped";
#endif
  std::mt19937 random(1);
  std::vector<uint32_t> values(1'000'000);
  for (uint32_t& value : values) value = random();
  Progress progress;
  const JobScope scope(&progress);
  std::atomic<int64_t> comparisons = 0;
  const auto before = [&](uint32_t a, uint32_t b) {
    if (++comparisons == 10'000) progress.cancel();
    return a < b;
  };
  EXPECT_THROW(parallel_sort(values.begin(), values.end(), before), Stopped);
  EXPECT_LT(comparisons, 5'000'000) << "a whole sort takes 20 for each value";
}

TEST(StopPoint, LeavesASortAloneWithoutAJob) {
  std::vector<int> values{3, 1, 2};
  parallel_sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3}));
  Progress progress;
  const JobScope scope(&progress);
  parallel_sort(values.begin(), values.end(), std::greater<>());
  EXPECT_EQ(values, (std::vector<int>{3, 2, 1}));
}

TEST(Progress, KeepsTheFirstReasonToStop) {
  Progress progress;
  EXPECT_EQ(progress.stop_reason(), std::nullopt);
  progress.stop({"First", "", "Wait."});
  progress.stop({"Second", "", "Wait."});
  EXPECT_TRUE(progress.canceled());
  EXPECT_TRUE(progress.stop_token().stop_requested());
  EXPECT_EQ(progress.stop_reason()->title, "First");
}

}  // namespace
}  // namespace dlview::base
