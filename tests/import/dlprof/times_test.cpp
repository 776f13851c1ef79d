#include "import/times.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

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
  EXPECT_TRUE(budget.needs_spans());
  budget.set_spans(std::vector<base::Interval>(10, {400, 1000}));
  EXPECT_FALSE(budget.needs_spans());
  EXPECT_TRUE(budget.add_gpu({0, 500, kNothing, kLongest}));
  for (profile::Row i = 0; i < 600; ++i) many.add_gpu({i, 0, kNothing, kLongest});
  EXPECT_FALSE(budget.add_all(many));
  EXPECT_TRUE(budget.add_all(few));
  many += many;  // beyond an int64
  many += many;
  EXPECT_FALSE(budget.add_all(many));
}

// What the tables below accepted.
std::vector<base::Interval> spans_of(const std::vector<GpuTime>& events) {
  std::vector<base::Interval> spans;
  for (const GpuTime& event : events) {
    if (event.instance >= spans.size()) spans.resize(std::size_t{event.instance} + 1, {0, -1});
    base::Interval& span = spans[event.instance];
    const bool is_first = span.stop_ns < span.start_ns;
    span.start_ns = is_first ? event.gpu.start_ns : std::min(span.start_ns, event.gpu.start_ns);
    span.stop_ns = is_first ? event.gpu.stop_ns : std::max(span.stop_ns, event.gpu.stop_ns);
  }
  return spans;
}

TEST(TimeBudget, RejectsTheSameEventsByTableAndOneByOne) {
  int at_once = 0, one_by_one = 0, left_out = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&random](int64_t limit) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
    };
    const auto devices = static_cast<std::size_t>(20 + below(kMostDevices - 20));
    const int64_t longest_ns = seed % 2 == 0 ? kLatestNs : kLatestNs / 200;
    TimeBudget budget(devices), slow(devices);
    std::vector<GpuTime> accepted;
    for (int table = 0; table < 4; ++table) {
      std::vector<GpuTime> events(static_cast<std::size_t>(1 + below(12)));
      TimeSums sums;
      for (GpuTime& event : events) {
        const int64_t start_ns = below(kLatestNs - longest_ns + 1);
        event.instance = static_cast<profile::Row>(below(4));
        event.instance_start_ns = int64_t{event.instance} * (kLatestNs / 4);
        event.gpu = {start_ns, start_ns + below(longest_ns)};
        event.call = {0, below(longest_ns)};
        sums.add_gpu(event);
      }
      const bool fit = budget.add_all(sums);
      ++(fit ? at_once : one_by_one);
      if (!fit && budget.needs_spans()) budget.set_spans(spans_of(accepted));
      for (const GpuTime& event : events) {
        const bool fits = slow.add_gpu(event);
        EXPECT_EQ(fit || budget.add_gpu(event), fits) << "seed " << seed << ", table " << table;
        if (fits) accepted.push_back(event);
        left_out += fits ? 0 : 1;
      }
    }
  }
  EXPECT_GT(at_once, 100);
  EXPECT_GT(one_by_one, 100);
  EXPECT_GT(left_out, 100);
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

// Its time on the GPU is short, whatever lies between its start and that.
TEST_F(TimesOfRows, KeepCopiesAfterManyKernelsFarFromTheStart) {
  const Profile profile = open_with(
      "WITH RECURSIVE n(x) AS (SELECT 10 UNION ALL SELECT x + 1 FROM n WHERE x < 309) "
      "INSERT INTO read_only_kernels SELECT x, 1, 0, 9, 10, 0, 0, 1, 9007199254740980, "
      "9007199254740981, 1, 2, 0, 70, 71 FROM n;"
      "WITH RECURSIVE n(x) AS (SELECT 10 UNION ALL SELECT x + 1 FROM n WHERE x < 309) "
      "INSERT INTO read_only_memcpys SELECT x, 2, 0, 11, 0, 1, 9007199254740990, "
      "9007199254740992, 4096, 1, 0, 70, 72 FROM n;");
  EXPECT_GT(profile.kernels.size(), 300U);
  EXPECT_GT(profile.memory_ops.size(), 300U);
  EXPECT_TRUE(profile.quality.empty());
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
