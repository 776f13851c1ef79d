#include "aggregate/period_work.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::Row;

// The slow twin: each kernel of each instance, one by one.
std::map<profile::StringId, int64_t> names_between(const profile::Profile& profile, int64_t process,
                                                   int64_t from_ns, int64_t to_ns) {
  std::map<profile::StringId, int64_t> names;
  for (Row k = 0; k < profile.kernels.size(); ++k) {
    const Row instance = profile.kernels.instance[k];
    const int64_t start_ns = profile.instances.cpu_start_ns[instance];
    const Row thread = profile.instances.thread[instance];
    const bool is_inside = from_ns <= start_ns && start_ns < to_ns;
    if (is_inside && profile.threads[thread].process_id == process)
      ++names[profile.kernels.name[k]];
  }
  return names;
}

int64_t count(const std::map<profile::StringId, int64_t>& names) {
  int64_t sum = 0;
  for (const auto& [name, launches] : names) sum += launches;
  return sum;
}

TEST(PeriodWork, IsWhatCountingEachKernelGives) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const profile::Profile profile = testing::random_profile({.seed = seed});
    const PeriodWork work(profile, {});
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int64_t> time(profile.first_ns, profile.last_ns);
    for (const profile::Thread& thread : profile.threads) {
      const int64_t process = thread.process_id;
      EXPECT_EQ(work.kernels(process),
                count(names_between(profile, process, INT64_MIN, INT64_MAX)));
      std::vector<int64_t> starts;
      for (int i = 0; i < 30; ++i) starts.push_back(time(random));
      std::ranges::sort(starts);
      std::size_t most = 0;
      std::map<std::map<profile::StringId, int64_t>, std::size_t> kinds;
      for (std::size_t i = 1; i < starts.size(); ++i) {
        const auto names = names_between(profile, process, starts[i - 1], starts[i]);
        EXPECT_EQ(work.kernels_between(process, starts[i - 1], starts[i]), count(names));
        most = std::max(most, ++kinds[names]);
      }
      const std::optional<Likeness> likeness = work.likeness(process, starts);
      if (likeness) {
        EXPECT_DOUBLE_EQ(likeness->equal, static_cast<double>(most) / 29);
      }
    }
  }
}

// Periods of 100 ns from 0 on, each with a kernel for each letter.
std::optional<Likeness> likeness_of(const std::vector<std::string>& periods) {
  testing::Sketch sketch;
  const Row op = sketch.op("op");
  std::vector<int64_t> starts;
  int64_t start_ns = 0;
  for (const std::string& letters : periods) {
    const Row instance = sketch.instance(op, start_ns + 1, start_ns + 90);
    for (const char letter : letters) {
      sketch.kernel(instance, start_ns, start_ns + 1, 0, std::string(1, letter));
    }
    starts.push_back(start_ns);
    start_ns += 100;
  }
  starts.push_back(start_ns);
  const auto profile = sketch.finish();
  return PeriodWork(*profile, {}).likeness(1, starts);
}

TEST(PeriodWork, OfEqualPeriodsIsAlike) {
  const auto likeness = likeness_of({"ab", "ba", "ab", "ab"});
  ASSERT_TRUE(likeness);
  EXPECT_EQ(likeness->share, 1);
  EXPECT_EQ(likeness->equal, 1);
  EXPECT_EQ(likeness->stride, 0);
}

TEST(PeriodWork, SharesWhatNeighborsHaveInCommon) {
  const auto likeness = likeness_of({"aabc", "aabd", "aabc", "aabd"});
  ASSERT_TRUE(likeness);
  EXPECT_EQ(likeness->share, 0.75);
}

TEST(PeriodWork, HasAStrideWhereOddPeriodsAreEquallyFarApart) {
  const auto layers = likeness_of({"ab", "ab", "abcd", "ab", "ab", "abcd", "ab", "ab", "abcd"});
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->stride, 3);
  EXPECT_EQ(layers->odd_kernels, 2);
  const auto now_and_then = likeness_of({"ab", "abc", "ab", "ab", "ab", "abc", "abc", "ab", "ab"});
  EXPECT_EQ(now_and_then->stride, 0);
}

// Other kernels in each layer, as experts have them: only their number tells the last one.
TEST(PeriodWork, TakesStrideFromKernelCountsIfNoPeriodIsUsual) {
  const auto layers = likeness_of({"ab", "cd", "efgh", "ij", "kl", "mnop", "qr", "st", "uvwx"});
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->stride, 3);
}

TEST(PeriodWork, OfPeriodsThatLaunchNothingIsUnknown) {
  EXPECT_FALSE(likeness_of({"", "", "a", ""}));
  EXPECT_FALSE(likeness_of({"a"}));
}

TEST(PeriodWork, LeavesOutWarmUp) {
  testing::Sketch sketch;
  const Row op = sketch.op("op");
  for (const int64_t start_ns : {10, 110, 210}) {
    sketch.kernel(sketch.instance(op, start_ns, start_ns + 5), start_ns, start_ns + 1);
  }
  const auto profile = sketch.finish();
  const PeriodWork work(*profile, base::IntervalSet::union_of({{0, 100}}));
  EXPECT_EQ(work.kernels(), 2);
  EXPECT_EQ(work.kernels_between(1, 0, 200), 1);
}

}  // namespace
}  // namespace dlview::aggregate
