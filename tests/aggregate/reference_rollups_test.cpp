#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/sketch_reference.h"
#include "support/random_profile.h"

namespace dlview::aggregate {
namespace {

using profile::Row;
using ::testing::ElementsAre;
using testing::Sketch;

TEST(ReferenceGroups, HaveOneValuePerIterationWithAnInstance) {
  Sketch sketch;
  const Row key = sketch.op("key");
  const Row a = sketch.op("/net/a", "conv2d", true);
  const Row b = sketch.op("/net/b");
  sketch.instance(a, 10, 20);  // iteration 0: 10 + 30
  sketch.instance(b, 30, 60);
  sketch.instance(key, 100, 101);  // iteration 1 has none
  sketch.instance(key, 200, 201);
  const Row run = sketch.instance(a, 210, 215);  // iteration 2: 5
  sketch.kernel(run, 220, 230, 0, "gemm", true);
  const auto profile = sketch.finish();
  const Aggregation result =
      make_reference_aggregator(profile)->aggregate({at_start("key"), {0, 99}});
  ASSERT_EQ(result.groups.size(), 2u);
  const GroupAggregate& net = result.groups.at(1);
  EXPECT_EQ(group_name(*profile, result.group_tree->groups.at(net.group)), "/net/");
  EXPECT_EQ(result.group_tree->groups.at(net.group).level, 2);
  EXPECT_EQ(net.instance_count, 3);
  EXPECT_EQ(net.eligible_ops, 1);
  EXPECT_EQ(net.tensor_core_ops, 1);
  EXPECT_EQ(net.times.cpu, (Stats{2, 45, 5, 40}));
  EXPECT_EQ(net.times.gpu, (Stats{2, 10, 0, 10}));
}

TEST(ReferenceGroups, AreTheProperPrefixesThatEndInASlash) {
  Sketch sketch;
  sketch.instance(sketch.op("MatMul/_0"), 0, 1);
  sketch.instance(sketch.op("MatMul"), 2, 3);
  sketch.instance(sketch.op("a//b/"), 4, 5);
  const auto profile = sketch.finish();
  const Aggregation result = make_reference_aggregator(profile)->aggregate({});
  std::vector<std::string> names;
  for (const Group& group : result.group_tree->groups)
    names.emplace_back(group_name(*profile, group));
  EXPECT_THAT(names, ElementsAre("MatMul/", "a/", "a//"));
  EXPECT_THAT(result.group_tree->group_of_op, ElementsAre(0, profile::kNoRow, 2));
  EXPECT_EQ(result.groups.at(0).instance_count, 1);
}

TEST(ReferenceOpTypes, CountOpsAndAddUpAllInstances) {
  Sketch sketch;
  const Row a = sketch.op("a", "relu"), b = sketch.op("b", "relu"), c = sketch.op("c", "Conv");
  sketch.op("never runs", "relu");
  sketch.instance(a, 0, 10);
  sketch.instance(a, 10, 14);
  sketch.instance(b, 20, 21);
  sketch.instance(c, 30, 33);
  const auto profile = sketch.finish();
  const Aggregation result = make_reference_aggregator(profile)->aggregate({});
  ASSERT_EQ(result.op_types.size(), 2u);
  EXPECT_EQ(profile->text(result.op_types[0].type), "Conv");
  EXPECT_EQ(result.op_types[1].op_count, 2);
  EXPECT_EQ(result.op_types[1].times.cpu, (Stats{3, 15, 1, 10}));
}

TEST(ReferenceCategories, PartitionTheOpsOfTheRange) {
  Sketch sketch;
  const Row using_tc = sketch.instance(sketch.op("a", "conv2d", true), 0, 10);
  const Row eligible = sketch.instance(sketch.op("b", "conv2d", true), 10, 30);
  const Row other = sketch.instance(sketch.op("c"), 30, 70);
  sketch.kernel(using_tc, 100, 150, 0, "gemm", true);
  sketch.kernel(using_tc, 150, 160, 0, "bias");
  sketch.kernel(eligible, 200, 240, 0, "direct");
  sketch.kernel(other, 300, 305, 0, "bias");
  const Aggregation result = aggregate(sketch);
  EXPECT_EQ(result.all_ops, (CategorySummary{70, 105, 70 - 8, 0, 3}));
  EXPECT_EQ(result.tensor_core_ops, (CategorySummary{10, 60, 6, 0, 1}));
  EXPECT_EQ(result.eligible_ops, (CategorySummary{20, 40, 18, 0, 1}));
  EXPECT_EQ(result.other_ops, (CategorySummary{40, 5, 38, 0, 1}));
}

TEST(ReferenceCategories, CountDistinctNamesAndPlainSums) {
  Sketch sketch;
  const Row run = sketch.instance(sketch.op("a"), 0, 10);
  sketch.kernel(run, 0, 10, 0, "gemm", true);
  sketch.kernel(run, 5, 15, 0, "gemm", true);  // overlaps: counted twice
  sketch.kernel(run, 20, 21, 0, "relu");
  sketch.copy(run, 30, 40, 0, "cudaMemcpyAsync");
  sketch.copy(run, 30, 40, 0, "cudaMemcpyAsync");
  sketch.copy(run, 50, 51, 0, "cudaMemset");
  const Aggregation result = aggregate(sketch);
  EXPECT_EQ(result.all_kernels, (CategorySummary{6, 21, 0, 0, 2}));
  EXPECT_EQ(result.tensor_core_kernels, (CategorySummary{4, 20, 0, 0, 1}));
  EXPECT_EQ(result.other_kernels, (CategorySummary{2, 1, 0, 0, 1}));
  EXPECT_EQ(result.memory, (CategorySummary{9, 21, 0, 0, 2}));
  EXPECT_EQ(result.kernel_launches, 3);
}

TEST(ReferenceKernels, AreListedForEachOpInByteOrderOfTheName) {
  Sketch sketch;
  const Row run = sketch.instance(sketch.op("a"), 0, 10);
  sketch.kernel(run, 0, 10, 0, "b");
  sketch.kernel(run, 10, 14, 0, "_");
  sketch.kernel(run, 20, 21, 0, "Z");
  sketch.kernel(run, 30, 33, 0, "b", true);
  const auto profile = sketch.finish();
  const Aggregation result = make_reference_aggregator(profile)->aggregate({});
  std::vector<std::string_view> names;
  for (const KernelAggregate& kernel : result.kernels) names.push_back(profile->text(kernel.name));
  EXPECT_THAT(names, ElementsAre("Z", "_", "b"));
  EXPECT_EQ(result.kernels[2].gpu, (Stats{2, 13, 3, 10}));
  EXPECT_TRUE(result.kernels[2].uses_tensor_cores);
  EXPECT_FALSE(result.kernels[0].uses_tensor_cores);
}

TEST(ReferenceTensorCores, EfficiencyIsShareOfEligibleKernelTime) {
  Sketch sketch;
  const Row eligible = sketch.instance(sketch.op("a", "conv2d", true), 0, 10);
  const Row uses_only = sketch.instance(sketch.op("b"), 10, 20);
  const Row neither = sketch.instance(sketch.op("c"), 20, 30);
  sketch.kernel(eligible, 0, 30, 0, "direct");
  sketch.copy(eligible, 30, 90);  // memory does not count
  sketch.kernel(uses_only, 100, 150, 0, "gemm", true);
  sketch.kernel(uses_only, 150, 170, 0, "bias");
  sketch.kernel(neither, 200, 900);
  const Aggregation result = aggregate(sketch);
  EXPECT_EQ(result.tensor_core_kernel_ns, 50);
  EXPECT_EQ(result.eligible_kernel_ns, 30 + 50 + 20);
  EXPECT_DOUBLE_EQ(result.tensor_core_efficiency(), 50.0);
}

// --- Random profiles -----------------------------------------------------------------------------

TEST(ReferenceOnRandomProfiles, KeepsItsOwnBalances) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    testing::RandomProfileOptions options;
    options.seed = seed;
    options.processes = 1 + static_cast<int>(seed % 3);
    const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
    const auto reference = make_reference_aggregator(profile);
    const Aggregation all =
        reference->aggregate({at_start(std::string(testing::kRandomKeyOp)), {0, 1'000'000}});
    SCOPED_TRACE(seed);

    const auto device_count = static_cast<int64_t>(profile->devices.size());
    EXPECT_EQ(all.breakdown.total(), all.range_ns * device_count);
    EXPECT_EQ(all.kernel_launches, std::ssize(profile->kernels.name.span()));
    int64_t calls = 0, launches = 0, union_of_devices = 0;
    for (const OpAggregate& op : all.ops) calls += op.times.count();
    for (const KernelAggregate& kernel : all.kernels) launches += kernel.gpu.count;
    for (const DeviceAggregate& device : all.devices) {
      EXPECT_EQ(device.breakdown.total(), all.range_ns);
      union_of_devices += device.kernel_union_ns;
    }
    EXPECT_EQ(calls, std::ssize(profile->instances.op.span()));
    EXPECT_EQ(launches, all.kernel_launches);
    EXPECT_LE(union_of_devices, all.all_kernels.gpu_ns);
    EXPECT_EQ(all.eligible_ops.gpu_ns + all.tensor_core_ops.gpu_ns + all.other_ops.gpu_ns,
              all.all_ops.gpu_ns);
    for (const IterationFacts& facts : all.iteration_table->facts) {
      EXPECT_GE(facts.per_device[Category::other], 0);
    }
  }
}

}  // namespace
}  // namespace dlview::aggregate
