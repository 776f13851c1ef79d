// What communication means, on runs that are worked out by hand (spec.md 45).

#include <algorithm>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/difference.h"
#include "aggregate/reference/reference.h"
#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::Row;
using testing::Sketch;

constexpr std::string_view kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

// Two GPUs, of which the second communicates less, cut at 100:
//
//              0    10   20   30   40   50   60   70   80   90   100  110
//   GPU 0  all-reduce     |---------------------|         |----------------|
//          all-reduce                      |---------|
//          gemm                |-------|
//          copy           |---------------------|
//   GPU 1  all-reduce     |----|
//          gemm           |----|
class TwoGpus : public ::testing::Test {
 protected:
  TwoGpus() {
    Sketch sketch(2);
    const Row key = sketch.op("step");
    const Row run = sketch.instance(key, 0, 5);
    sketch.kernel(run, 20, 60, 0, kAllReduce);
    sketch.kernel(run, 50, 70, 0, kAllReduce);
    sketch.kernel(run, 80, 115, 0, kAllReduce);
    sketch.kernel(run, 30, 45, 0, "gemm", true);
    sketch.copy(run, 20, 60, 0);
    sketch.kernel(run, 20, 30, 1, kAllReduce);
    sketch.kernel(run, 20, 30, 1, "gemm", true);
    sketch.instance(key, 100, 120);
    profile_ = sketch.finish();
  }
  Aggregation with(const std::vector<Filter>& filters, IterationRange range = {0, 0}) const {
    const Selection selection{{CutKind::start, "step", 0}, range, filters};
    const Aggregation result = make_cpu_aggregator(profile_)->aggregate(selection);
    EXPECT_EQ(result, make_reference_aggregator(profile_)->aggregate(selection));
    return result;
  }
  std::shared_ptr<const profile::Profile> profile_;
};

TEST_F(TwoGpus, CopiesDoNotHideCommunication) {
  const Aggregation result = with({});
  // 20..70 and 80..99, of which 30..45 is hidden; on the other GPU all ten ns are.
  EXPECT_EQ(result.devices.at(0).communication, (CommunicationTime{69, 54}));
  EXPECT_EQ(result.devices.at(0).communication.overlapped_ns(), 15);
  EXPECT_EQ(result.devices.at(1).communication, (CommunicationTime{10, 0}));
  EXPECT_EQ(result.communication, (CommunicationTime{79, 54}));
  EXPECT_TRUE(result.iteration_table->has_communication);
}

TEST_F(TwoGpus, IterationsRoundMeansDownAndKeepCategories) {
  const Aggregation result = with({}, {0, 1});
  const IterationFacts& first = result.iteration_table->facts.at(0);
  EXPECT_EQ(first.communication_device_sum, (CommunicationTime{79, 54}));
  EXPECT_EQ(first.communication_per_device, (CommunicationTime{39, 27}));
  const IterationFacts& second = result.iteration_table->facts.at(1);
  EXPECT_EQ(second.communication_device_sum, (CommunicationTime{15, 15}));
  EXPECT_EQ(result.communication, (CommunicationTime{94, 69}));
  EXPECT_EQ(first.device_sum[Category::tensor_core_kernels], 15 + 10);
  EXPECT_EQ(first.device_sum[Category::other_kernels], 69 - 15);
  EXPECT_EQ(first.device_sum.total(), 2 * 99);
}

TEST_F(TwoGpus, OnlyKernelsThatFiltersKeepCountAndHide) {
  const Aggregation no_gemm = with({*parse_filter("tensor_core", "0")});
  EXPECT_EQ(no_gemm.communication, (CommunicationTime{79, 79}));
  const Aggregation gemm = with({*parse_filter("tensor_core", "1")});
  EXPECT_EQ(gemm.communication, CommunicationTime{});
  EXPECT_TRUE(gemm.iteration_table->has_communication);
  EXPECT_EQ(with({*parse_filter("device", "1")}).communication, (CommunicationTime{10, 0}));
  EXPECT_EQ(with({*parse_filter("time", "25:40")}).communication, (CommunicationTime{20, 5}));
}

TEST(Communication, IsThatOfNoRunWhoseKernelsOnlyCompute) {
  Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("a"), 0, 10), 0, 5, 0, "all_reduce_statistics");
  const Aggregation result = make_cpu_aggregator(sketch.finish())->aggregate({});
  EXPECT_FALSE(result.iteration_table->has_communication);
  EXPECT_EQ(result.communication, CommunicationTime{});
}

// Few kernels, so that much of it is exposed.
TEST(Communication, EnginesAgreeOnHiddenAndExposedTimeOfTwoDevices) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    testing::RandomProfileOptions options;
    options.seed = seed;
    options.kernels = 200;
    const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
    const Selection selection{{CutKind::start, std::string(testing::kRandomKeyOp), 0}, {0, 1'000}};
    const Aggregation actual = make_cpu_aggregator(profile)->aggregate(selection);
    const auto both = std::ranges::count_if(actual.devices, [](const DeviceAggregate& device) {
      return device.communication.exposed_ns > 0 && device.communication.overlapped_ns() > 0;
    });
    EXPECT_EQ(both, 2) << "seed " << seed;
    EXPECT_EQ(first_difference(actual, make_reference_aggregator(profile)->aggregate(selection)),
              "");
  }
}

}  // namespace
}  // namespace dlview::aggregate
