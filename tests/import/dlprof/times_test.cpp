#include "import/times.h"

#include <limits>

#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::import::dlprof {
namespace {

using profile::Profile;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr base::Interval kLongest{0, kLatestNs};
constexpr base::Interval kNothing{0, 0};

TEST(TimeProblem, IsFoundFrom104DaysOn) {
  EXPECT_EQ(time_problem(0, kLatestNs), nullptr);
  EXPECT_NE(time_problem(0, kLatestNs + 1), nullptr);
  EXPECT_NE(time_problem(0, kMost), nullptr);
  EXPECT_EQ(static_cast<int64_t>(static_cast<double>(kLatestNs)), kLatestNs);
}

// How many of the longest durations a budget takes.
template <typename Add>
int64_t longest_taken(const Add& add) {
  int64_t count = 0;
  while (count < 5000 && add()) ++count;
  return count;
}

TEST(TimeBudget, TakesWhatAddsUpForAllDevices) {
  for (const std::size_t devices : {std::size_t{0}, std::size_t{1}, std::size_t{8}, kMostDevices}) {
    TimeBudget budget(devices);
    const int64_t expected = kMost / static_cast<int64_t>(devices + 1) / kLatestNs;
    EXPECT_GE(expected, 1) << devices;
    EXPECT_EQ(longest_taken([&] { return budget.add_cpu(kLongest); }), expected);
    EXPECT_EQ(longest_taken([&] { return budget.add_api(kLongest); }), expected);
    profile::Row instance = 0;
    EXPECT_EQ(longest_taken([&] {
                return budget.add_gpu({instance++, 0, kNothing, kLongest});
              }),
              expected);
  }
}

TEST(TimeBudget, StillTakesShortOnesWhenALongOneDoesNotFit) {
  TimeBudget budget(kMostDevices);
  ASSERT_TRUE(budget.add_cpu(kLongest));
  EXPECT_FALSE(budget.add_cpu(kLongest));
  EXPECT_TRUE(budget.add_cpu({0, 1000}));
}

// Two short events far apart make an instance idle for all the time between them.
TEST(TimeBudget, CountsTheIdleTimeBetweenAnInstancesGpuEvents) {
  TimeBudget budget(kMostDevices);
  EXPECT_TRUE(budget.add_gpu({0, 0, kNothing, {0, 1}}));
  EXPECT_TRUE(budget.add_gpu({0, 0, kNothing, {kLatestNs - 1, kLatestNs}}));
  EXPECT_TRUE(budget.add_gpu({0, 0, kNothing, {50, 60}}));
  EXPECT_TRUE(budget.add_gpu({1, 0, kNothing, {0, 1}}));
  EXPECT_FALSE(budget.add_gpu({1, 0, kNothing, {kLatestNs - 1, kLatestNs}}));
  EXPECT_TRUE(budget.add_gpu({1, 0, kNothing, {5, 6}}));
}

TEST(TimeBudget, CountsNothingOfAGpuEventWhoseApiCallDoesNotFit) {
  TimeBudget budget(kMostDevices);
  ASSERT_TRUE(budget.add_api(kLongest));
  EXPECT_FALSE(budget.add_gpu({0, 0, kLongest, kLongest}));
  EXPECT_TRUE(budget.add_gpu({0, 0, kNothing, kLongest}));
}

TEST(TimeBudget, TakesAllAtOnceOrLooksAtEach) {
  TimeSums few, many;
  for (profile::Row i = 0; i < 10; ++i) few.add_gpu({i, 500, {0, 10}, {400, 1000}});
  TimeBudget budget(1);
  EXPECT_TRUE(budget.add_all(few));
  EXPECT_TRUE(budget.add_gpu({0, 500, kNothing, kLongest}));
  for (profile::Row i = 0; i < 600; ++i) many.add_gpu({i, 0, kNothing, kLongest});
  EXPECT_FALSE(budget.add_all(many));
  EXPECT_TRUE(budget.add_all(few));
  many += many;  // beyond an int64
  many += many;
  EXPECT_FALSE(budget.add_all(many));
}

// An instance that began long before, or long after, what it has on the GPU.
TEST(TimeBudget, TakesAllAtOnceWhereItWouldTakeEach) {
  const base::Interval late{kLatestNs - 1, kLatestNs};
  TimeSums far;
  far.add_gpu({0, 0, kNothing, late});
  EXPECT_FALSE(TimeBudget(kMostDevices).add_all(far));
  EXPECT_TRUE(TimeBudget(kMostDevices).add_gpu({0, 0, kNothing, late}));
  // What follows counts from the start of its instance as well, each for itself.
  TimeSums near;
  near.add_gpu({0, kLatestNs, kNothing, late});
  TimeBudget budget(kMostDevices);
  ASSERT_TRUE(budget.add_all(near));
  EXPECT_TRUE(budget.add_gpu({0, kLatestNs, kNothing, {10, 20}}));
  EXPECT_FALSE(budget.add_gpu({0, kLatestNs, kNothing, {30, 40}}));
}

// Spans that were counted one by one do not know how far their instances reach.
TEST(TimeBudget, TakesNoEventsAtOnceBehindSingleOnes) {
  TimeSums sums, calls;
  sums.add_gpu({1, 0, kNothing, {0, 1}});
  calls.add_api({0, 5});
  TimeBudget budget(1);
  ASSERT_TRUE(budget.add_gpu({0, 0, kNothing, {0, 1}}));
  EXPECT_FALSE(budget.add_all(sums));
  EXPECT_TRUE(budget.add_all(calls));
}

using TimesOfRows = testing::DlprofTest;

// Each of the rows is acceptable for itself.
TEST_F(TimesOfRows, RowsThatWouldOverflowSumsAreCountedAndLeftOut) {
  const Profile profile = open_with(
      "WITH RECURSIVE n(x) AS (SELECT 10 UNION ALL SELECT x + 1 FROM n WHERE x < 2009) "
      "INSERT INTO read_only_op_instances SELECT x, 2, 0, 9007199254740992, 70, 71, 6, 6, 6, 6, 6 "
      "FROM n;"
      "WITH RECURSIVE n(x) AS (SELECT 10 UNION ALL SELECT x + 1 FROM n WHERE x < 2009) "
      "INSERT INTO read_only_kernels SELECT x, 1, 0, 9, 10, 0, 0, 9007199254740992, 0, "
      "9007199254740992, 1, 2, 0, 70, 71 FROM n;"
      "WITH RECURSIVE n(x) AS (SELECT 10 UNION ALL SELECT x + 1 FROM n WHERE x < 2009) "
      "INSERT INTO read_only_cuda_calls SELECT x, 1, 0, 14, 0, 9007199254740992, 70, 71 FROM n;");
  int64_t cpu = 0, gpu = 0, api = 0;
  for (std::size_t i = 0; i < profile.instances.size(); ++i) {
    cpu += profile.instances.cpu_stop_ns[i] - profile.instances.cpu_start_ns[i];
  }
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    gpu += profile.kernels.gpu_stop_ns[i] - profile.kernels.gpu_start_ns[i];
    api += profile.kernels.api_stop_ns[i] - profile.kernels.api_start_ns[i];
  }
  const int64_t limit = kMost / 3;  // two GPUs
  EXPECT_LE(cpu, limit);
  EXPECT_LE(gpu, limit);
  EXPECT_LE(api, limit);
  EXPECT_GT(profile.kernels.size(), 300U);
  EXPECT_EQ(profile.api_calls.size(), 1U);
  ASSERT_EQ(profile.quality.size(), 3U);
  for (const profile::QualityNote& note : profile.quality) {
    EXPECT_EQ(note.reason, kTooMuchTime);
    EXPECT_GT(note.rows, 1000);
  }
}

TEST_F(TimesOfRows, GpusBeyondTheMostAreCountedAndLeftOut) {
  const Profile profile = open_with(
      "WITH RECURSIVE n(x) AS (SELECT 3 UNION ALL SELECT x + 1 FROM n WHERE x < 1005) "
      "INSERT INTO read_only_gpu_infos SELECT x, x, 'one more', 8, 0, 108 FROM n;");
  EXPECT_EQ(profile.devices.size(), kMostDevices);
  ASSERT_EQ(profile.quality.size(), 1U);
  EXPECT_EQ(profile.quality[0].rows, 5);
}

}  // namespace
}  // namespace dlview::import::dlprof
