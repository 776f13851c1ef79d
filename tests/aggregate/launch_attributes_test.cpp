// Registers, shared memory, occupancy and blocks per SM, from the trace to the sums of a range.

#include "profile/launch_attributes.h"

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "aggregate/launch_means.h"
#include "aggregate/range_sums.h"
#include "import/pytorch/event_sketch.h"

namespace dlview::aggregate {
namespace {

using dlview::import::pytorch::KernelEvent;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::kNoValue;
using profile::LaunchAttributes;
using profile::Profile;
using testing::EventSketch;

CountedRows whole_run(const Profile& profile) {
  return {InstanceIndex{0}, InstanceIndex(static_cast<profile::Row>(profile.instances.size())), {}};
}

// An op with one kernel that `set` completes.
template <typename Set>
Profile profile_with(const Set& set) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.call("cudaLaunchKernel", 10, 20, 1);
  set(sketch.kernel("add", 200, 300, 1));
  return std::move(sketch).finish();
}

TEST(LaunchAttributes, AreThoseOfTheTrace) {
  const Profile profile = profile_with([](KernelEvent& kernel) {
    kernel.registers_per_thread = 40;
    kernel.shared_bytes = 2048;
    kernel.occupancy_percent = 0;
    kernel.blocks_per_sm = 0.83333331;
    kernel.warps_per_sm = 6.5;
    kernel.graph_node = 12;
  });
  const LaunchAttributes launch = profile::launch_attributes(profile, KernelIndex{0});
  EXPECT_EQ(launch.registers_per_thread, 40);
  EXPECT_EQ(launch.shared_bytes, 2048);
  EXPECT_EQ(launch.occupancy_percent, 0);
  EXPECT_EQ(launch.blocks_per_sm_millionths, 833'333);
  EXPECT_EQ(launch.warps_per_sm_millionths, 6'500'000);
  EXPECT_EQ(launch.graph_node, 12);
  EXPECT_TRUE(profile::tells_occupancy(profile));
}

TEST(LaunchAttributes, AreAbsentWhereNotRecorded) {
  for (const double infinite : {-1.0, HUGE_VAL, std::nan("")}) {
    const Profile profile = profile_with([infinite](KernelEvent& kernel) {
      kernel.blocks_per_sm = infinite;
      kernel.occupancy_percent = 101;
    });
    const LaunchAttributes launch = profile::launch_attributes(profile, KernelIndex{0});
    EXPECT_EQ(launch.registers_per_thread, std::nullopt);
    EXPECT_EQ(launch.shared_bytes, std::nullopt);
    EXPECT_EQ(launch.occupancy_percent, std::nullopt);
    EXPECT_EQ(launch.blocks_per_sm_millionths, std::nullopt);
    EXPECT_EQ(launch.graph_node, std::nullopt);
    EXPECT_FALSE(profile::tells_occupancy(profile));
  }
}

TEST(LaunchAttributes, AddStaticAndDynamicSharedMemory) {
  Profile profile = profile_with([](KernelEvent&) {});
  profile::TraceKernels& kernels = profile.trace->kernels;
  kernels.static_shared_bytes = std::vector<int64_t>{1024};
  EXPECT_EQ(profile::launch_attributes(profile, KernelIndex{0}).shared_bytes, std::nullopt);
  kernels.dynamic_shared_bytes = std::vector<int64_t>{512};
  EXPECT_EQ(profile::launch_attributes(profile, KernelIndex{0}).shared_bytes, 1536);
  kernels.dynamic_shared_bytes = std::vector<int64_t>{INT64_MAX};
  EXPECT_EQ(profile::launch_attributes(profile, KernelIndex{0}).shared_bytes, INT64_MAX);
}

TEST(LaunchMeans, WeighByDuration) {
  LaunchMeans means;
  EXPECT_EQ(means.occupancy.mean(), std::nullopt);
  LaunchAttributes launch;
  launch.occupancy_percent = 0;
  means.add(launch, 300);
  launch.occupancy_percent = 100;
  means.add(launch, 100);
  means.add({}, 1000);  // does not record it
  EXPECT_EQ(means.occupancy.mean(), 25);
  EXPECT_EQ(means.blocks_per_sm.mean(), std::nullopt);
  LaunchMeans other;
  launch.occupancy_percent = 50;
  launch.blocks_per_sm_millionths = 1'500'000;
  other.add(launch, 400);
  means.merge(other);
  EXPECT_EQ(means.occupancy.mean(), 37.5);
  EXPECT_EQ(means.blocks_per_sm.mean(), 1'500'000);
}

// What the obvious way sums up of one configuration.
struct SlowSum {
  int64_t count = 0, gpu_ns = 0, percent_ns = 0, percent_weight = 0, blocks_ns = 0,
          blocks_weight = 0;
};

TEST(LaunchMeans, EqualTheObviousSums) {
  std::mt19937_64 random(7);
  const auto pick = [&random](int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  };
  EventSketch sketch;
  std::map<std::tuple<std::string, int64_t, int64_t>, SlowSum> expected;
  std::map<std::string, SlowSum> expected_by_name;
  sketch.op("aten::add", 0, 1'000'000);
  for (int64_t i = 0; i < 2000; ++i) {
    const std::string name = "kernel" + std::to_string(pick(3));
    const int64_t start = 1000 * i, ns = pick(900);
    sketch.call("cudaLaunchKernel", 10 + i, 11 + i, i + 1);
    KernelEvent& kernel = sketch.kernel(name, start, start + ns, i + 1);
    kernel.registers_per_thread = pick(3) == 0 ? kNoValue : 32 * (1 + pick(2));
    kernel.shared_bytes = pick(3) == 0 ? kNoValue : 512 * pick(2);
    kernel.occupancy_percent = pick(4) == 0 ? kNoValue : pick(101);
    const int64_t quarters = pick(100);
    const bool has_blocks = pick(5) != 0;
    kernel.blocks_per_sm = has_blocks ? static_cast<double>(quarters) / 4 : HUGE_VAL;
    for (SlowSum* sum : {&expected[{name, kernel.registers_per_thread, kernel.shared_bytes}],
                         &expected_by_name[name]}) {
      ++sum->count;
      sum->gpu_ns += ns;
      if (kernel.occupancy_percent != kNoValue) {
        sum->percent_ns += kernel.occupancy_percent * ns;
        sum->percent_weight += ns;
      }
      if (has_blocks) {
        sum->blocks_ns += quarters * 250'000 * ns;
        sum->blocks_weight += ns;
      }
    }
  }
  const Profile profile = std::move(sketch).finish();
  const auto expect_means = [](const LaunchMeans& means, const SlowSum& sum) {
    EXPECT_EQ(means.occupancy.weighted_sum, sum.percent_ns);
    EXPECT_EQ(means.occupancy.weight, sum.percent_weight);
    EXPECT_EQ(means.blocks_per_sm.weighted_sum, sum.blocks_ns);
    EXPECT_EQ(means.blocks_per_sm.weight, sum.blocks_weight);
  };
  const auto found = launch_configurations(profile, whole_run(profile));
  EXPECT_EQ(found.size(), expected.size());
  for (const LaunchConfiguration& row : found) {
    const auto same = expected.find({std::string(profile.text(row.name)),
                                     row.registers_per_thread.value_or(kNoValue),
                                     row.shared_bytes.value_or(kNoValue)});
    ASSERT_NE(same, expected.end());
    EXPECT_EQ(row.gpu.count, same->second.count);
    EXPECT_EQ(row.gpu.sum, same->second.gpu_ns);
    expect_means(row.means, same->second);
  }
  const auto by_name = launch_means_by_name(profile, whole_run(profile));
  EXPECT_EQ(by_name.size(), expected_by_name.size());
  for (const auto& [name, means] : by_name) {
    expect_means(means, expected_by_name.at(std::string(profile.text(name))));
  }
}

}  // namespace
}  // namespace dlview::aggregate
