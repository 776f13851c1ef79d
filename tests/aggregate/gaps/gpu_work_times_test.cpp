// The work of each GPU and its gaps, against a look at every ns.
#include "aggregate/gaps/gpu_work_times.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/rules/rules.h"
#include "profile/builder.h"
#include "support/random_profile.h"

namespace dlview::aggregate {
namespace {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::LaunchIndex;
using profile::MemoryOpIndex;
using profile::Row;

// Whether the GPU works for any process, for each ns.
std::vector<bool> busy_ns(const profile::Profile& profile, const GpuWorkTimes& gpu) {
  std::vector<bool> busy(static_cast<std::size_t>(profile.last_ns) + 1);
  const auto mark = [&](DeviceIndex device, int64_t start_ns, int64_t stop_ns) {
    if (device != gpu.device()) return;
    for (int64_t ns = start_ns; ns < stop_ns; ++ns) busy[static_cast<std::size_t>(ns)] = true;
  };
  for (KernelIndex row{0}; row < profile.kernels.size(); ++row) {
    const LaunchIndex launch = profile.kernels.launch[row];
    mark(profile.launches.device[launch], profile.kernels.gpu_start_ns[row],
         profile.kernels.gpu_stop_ns[row]);
  }
  const profile::MemoryOps& ops = profile.memory_ops;
  for (MemoryOpIndex row{0}; row < ops.size(); ++row) {
    mark(ops.device[row], ops.gpu_start_ns[row], ops.gpu_stop_ns[row]);
  }
  return busy;
}

using Gap = std::pair<int64_t, int64_t>;

// Idle runs between busy ns, wholly within the window.
std::vector<Gap> gaps_of(const std::vector<bool>& busy, int64_t start_ns, int64_t stop_ns,
                         int64_t longer_ns) {
  std::vector<Gap> gaps;
  int64_t last_busy = -1;
  for (int64_t ns = 0; ns < std::ssize(busy); ++ns) {
    if (!busy[static_cast<std::size_t>(ns)]) continue;
    const int64_t gap_start = last_busy + 1;
    if (last_busy >= 0 && ns - gap_start > std::max<int64_t>(longer_ns, 0) &&
        gap_start >= start_ns && ns <= stop_ns) {
      gaps.push_back({gap_start, ns});
    }
    last_busy = ns;
  }
  return gaps;
}

// Compares the gaps and the time covered with what a look at every ns finds, in three windows.
void compare_with_every_ns(const GpuWorkTimes& gpu, const std::vector<bool>& busy) {
  const int64_t end = std::ssize(busy);
  for (const auto& [start, stop] :
       {Gap{0, end}, Gap{end / 7 + 1, 4 * end / 5}, Gap{end / 2, end / 2 + 400}}) {
    EXPECT_EQ(gpu.busy().covered_ns(start, stop),
              std::count(busy.begin() + start, busy.begin() + stop, true));
    for (const int64_t longer : {0, 40, 90, 700}) {
      std::vector<Gap> gaps;
      gpu.for_each_longer(gpu.gaps_in(start, stop), longer, [&](const GpuWorkTimes::Gap& gap) {
        gaps.push_back({gap.start_ns, gap.stop_ns});
      });
      EXPECT_EQ(gaps, gaps_of(busy, start, stop, longer)) << start << ' ' << longer;
    }
  }
}

TEST(RuleIndex, KeepsTheWorkOfEachGpuForAllProcesses) {
  testing::RandomProfileOptions options;
  options.processes = 2;
  const profile::Profile profile = testing::random_profile(options);
  const RuleIndex index(profile);
  ASSERT_EQ(index.process_count(), 2);
  ASSERT_GE(index.gpus().size(), 2U);
  EXPECT_TRUE(std::ranges::is_sorted(index.gpus(), std::ranges::less(), &GpuWorkTimes::device));
  for (const GpuWorkTimes& gpu : index.gpus()) compare_with_every_ns(gpu, busy_ns(profile, gpu));
}

TEST(GpuWorkTimes, FindFewLongGapsAmongManyShortOnes) {
  std::mt19937_64 random(7);
  const auto below = [&](int64_t end) {
    return std::uniform_int_distribution<int64_t>(0, end - 1)(random);
  };
  std::vector<GpuWorkTimes::Event> events;
  std::vector<bool> busy(100'000);
  for (int i = 0; i < 1500; ++i) {
    int64_t start = below(std::ssize(busy) - 60);
    if (start > 60'000 && start < 61'000) start = 10;
    const int64_t stop = start + below(60);
    events.push_back({start, stop});
    std::fill(busy.begin() + start, busy.begin() + stop, true);
  }
  const GpuWorkTimes gpu(DeviceIndex{0}, events);
  EXPECT_GT(gpu.busy().size(), 512U) << "more than two levels";
  compare_with_every_ns(gpu, busy);
}

TEST(GpuWorkTimes, KnowWhoseWorkEndsAGap) {
  const GpuWorkTimes gpu(DeviceIndex{0}, {{50, 60, InstanceIndex{5}},
                                          {10, 20, InstanceIndex{1}},
                                          {15, 30, InstanceIndex{2}},
                                          {55, 58, InstanceIndex{6}},
                                          {90, 95, InstanceIndex{9}}});
  std::vector<std::pair<Gap, Row>> gaps;
  gpu.for_each_longer(gpu.gaps_in(0, 100), 0, [&](const GpuWorkTimes::Gap& gap) {
    gaps.push_back({{gap.start_ns, gap.stop_ns}, gap.instance});
  });
  EXPECT_EQ(gaps, (std::vector<std::pair<Gap, Row>>{{{30, 50}, 5}, {{60, 90}, 9}}));
}

}  // namespace
}  // namespace dlview::aggregate
