#include "aggregate/tensor_core_uses.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/find_op.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;

profile::Profile three_names() {
  testing::Sketch sketch(2);
  const auto conv = sketch.instance(sketch.op("conv", "conv2d", true), 0, 100);
  sketch.kernel(conv, 0, 30, 0, "volta_fp16_s884gemm");
  sketch.kernel(conv, 40, 60, 1, "volta_fp16_s884gemm");
  sketch.kernel(conv, 60, 65, 0, "volta_sgemm_32x128_nn");
  sketch.kernel(sketch.instance(sketch.op("relu"), 100, 200), 100, 190, 0, "triton_poi_fused_0");
  return *sketch.finish();
}

TEST(TensorCoreUsesList, AddsUpKernelsOfOneNameLargestFirst) {
  const profile::Profile profile = three_names();
  const auto uses = tensor_core_uses(profile, InstanceIndex{0}, InstanceIndex{2});
  ASSERT_EQ(uses.size(), 3u);
  EXPECT_EQ(profile.text(uses[0].name), "triton_poi_fused_0");
  EXPECT_EQ(profile.text(uses[1].name), "volta_fp16_s884gemm");
  EXPECT_EQ(uses[1].launches, 2);
  EXPECT_EQ(uses[1].gpu_ns, 50);
  EXPECT_FALSE(uses[1].counted);
  EXPECT_EQ(uses[1].present.rule, "MMA shape");
  EXPECT_TRUE(uses[1].differs());
  EXPECT_FALSE(uses[0].differs()) << "unknown is no contradiction";
  EXPECT_FALSE(uses[2].differs());
}

// Kernels are gone through in blocks of 65 536.
TEST(TensorCoreUsesList, AddsUpManyKernels) {
  testing::Sketch sketch;
  const auto op = sketch.instance(sketch.op("conv"), 0, 1'000'000);
  for (int64_t i = 0; i < 150'000; ++i) {
    const bool is_last = i >= 140'000;
    sketch.kernel(op, i, i + (i % 3) + 1, 0, is_last ? "late" : i % 3 == 0 ? "b" : "a", i % 3 == 1);
  }
  const profile::Profile profile = *sketch.finish();
  const auto uses = tensor_core_uses(profile, InstanceIndex{0}, InstanceIndex{1});
  std::map<std::pair<std::string_view, bool>, std::pair<int64_t, int64_t>> counted;
  for (const TensorCoreUses& row : uses) {
    counted[{profile.text(row.name), row.counted}] = {row.launches, row.gpu_ns};
  }
  const decltype(counted) expected{{{"a", false}, {46'666, 139'998}},
                                   {{"a", true}, {46'667, 93'334}},
                                   {{"b", false}, {46'667, 46'667}},
                                   {{"late", false}, {6'667, 13'335}},
                                   {{"late", true}, {3'333, 6'666}}};
  EXPECT_EQ(counted, expected);
  EXPECT_EQ(uses.size(), expected.size());
  EXPECT_TRUE(std::ranges::is_sorted(uses, std::ranges::greater(), &TensorCoreUses::gpu_ns));
}

TEST(TensorCoreUsesList, HoldsTheInstancesAndWhatFiltersKeep) {
  const profile::Profile profile = three_names();
  EXPECT_EQ(tensor_core_uses(profile, InstanceIndex{1}, InstanceIndex{2}).size(), 1u);
  const RowFilter second(profile, {*parse_filter("device", "1")});
  const auto uses = tensor_core_uses(profile, InstanceIndex{0}, InstanceIndex{2}, &second);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].gpu_ns, 20);
}

TEST(TensorCoreUsesList, SumsUpWhatDiffersAndWhatIsUnknown) {
  const TensorCoreDoubts sum =
      doubts(tensor_core_uses(three_names(), InstanceIndex{0}, InstanceIndex{2}));
  EXPECT_EQ(sum.names, 1);
  EXPECT_EQ(sum.launches, 2);
  EXPECT_EQ(sum.gpu_ns, 50);
  EXPECT_EQ(sum.unknown_names, 1);
  EXPECT_EQ(sum.unknown_launches, 1);
  EXPECT_EQ(sum.unknown_gpu_ns, 90);
  EXPECT_EQ(sum.all_names, 3);
}

// The file counts one launch of a name and not the other.
TEST(TensorCoreUsesList, CountsANameWithSeveralRowsOnce) {
  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("conv"), 0, 100);
  const auto eligible = sketch.instance(sketch.op("linear", "linear", true), 100, 200);
  for (const bool counted : {false, true}) {
    sketch.kernel(conv, 0, 10, 0, "my_kernel", counted);
    sketch.kernel(eligible, 100, 110, 0, "my_kernel", counted);
  }
  const auto uses = tensor_core_uses(*sketch.finish(), InstanceIndex{0}, InstanceIndex{2});
  EXPECT_EQ(uses.size(), 4u);
  const TensorCoreDoubts sum = doubts(uses);
  EXPECT_EQ(sum.all_names, 1);
  EXPECT_EQ(sum.names, 1);
  EXPECT_EQ(sum.unknown_names, 1);
}

// Kernel by kernel.
int64_t unknown_ns_in_eligible_ops(const profile::Profile& profile,
                                   const Aggregation& aggregation) {
  const auto& rows = aggregation.iteration_table->iterations.rows;
  const auto& range = aggregation.selection.range;
  const RowFilter filter(profile, aggregation.selection.filters);
  int64_t sum_ns = 0;
  for (const profile::KernelIndex kernel : kernels_of_unknown_use(profile)) {
    const InstanceIndex instance = profile.kernels.instance[kernel];
    const profile::OpIndex op = profile.instances.op[instance];
    const OpAggregate* summed = find_op(aggregation, op);
    const bool counts = instance >= rows[static_cast<std::size_t>(range.first)].first_instance &&
                        instance < rows[static_cast<std::size_t>(range.last)].last_instance &&
                        filter.counts_kernel(kernel) && summed != nullptr &&
                        (profile.is_eligible(op) || summed->uses_tensor_cores());
    if (counts) {
      sum_ns += profile.kernels.gpu_stop_ns[kernel] - profile.kernels.gpu_start_ns[kernel];
    }
  }
  return sum_ns;
}

// Of an export with kernels of three ages and names that tell nothing.
TEST(UnknownTensorCoreUse, EqualsTheSumOfTheListUnderAnyFilter) {
  testing::Sketch sketch(2);
  const auto step = sketch.op("step"), conv = sketch.op("conv", "conv2d", true);
  const auto relu = sketch.op("relu");  // uses Tensor Cores in some iterations, in its way
  for (int64_t i = 0; i < 10; ++i) {
    sketch.instance(step, 100 * i, 100 * i + 10);
    const auto other = sketch.instance(relu, 100 * i + 10, 100 * i + 20);
    sketch.kernel(other, 100 * i + 10, 100 * i + 17, 0, "triton_poi_fused_1");
    if (i > 6) sketch.kernel(other, 100 * i + 17, 100 * i + 19, 0, "volta_fp16_s884gemm", true);
    const auto instance = sketch.instance(conv, 100 * i + 20, 100 * i + 90);
    sketch.kernel(instance, 100 * i + 20, 100 * i + 30 + i, i % 2, "triton_poi_fused_0");
    sketch.kernel(instance, 100 * i + 30, 100 * i + 40, 0, "volta_fp16_s884gemm", true);
    sketch.kernel(instance, 100 * i + 40, 100 * i + 42 + i, i % 3 == 0, "my_kernel");
  }
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  facts->source.by_tensor_core_rules = true;
  const std::shared_ptr<const profile::Profile> profile = facts;
  const UnknownTensorCoreUse unknown(*profile);
  const auto aggregator = make_cpu_aggregator(profile);
  for (const std::vector<Filter>& filters :
       {std::vector<Filter>{}, {*parse_filter("device", "1")}, {*parse_filter("op", "step")}}) {
    for (int64_t first = 0; first < 10; first += 3) {
      const Aggregation aggregation = aggregator->aggregate(
          {{CutKind::start, "step", 0}, {first, std::min<int64_t>(first + 4, 9)}, filters});
      const auto& rows = aggregation.iteration_table->iterations.rows;
      const auto [from, to] = aggregation.selection.range;
      const RowFilter filter(*profile, filters);
      const auto uses =
          tensor_core_uses(*profile, rows[static_cast<std::size_t>(from)].first_instance,
                           rows[static_cast<std::size_t>(to)].last_instance, &filter);
      const UnknownTensorCoreUse kept = unknown.filtered(filters);
      EXPECT_EQ(kept.gpu_ns(aggregation), doubts(uses).unknown_gpu_ns) << first;
      const int64_t eligible_ns = unknown_ns_in_eligible_ops(*profile, aggregation);
      EXPECT_EQ(kept.eligible_gpu_ns(aggregation), eligible_ns) << first;
      EXPECT_EQ(unknown_eligible_ns(*profile, aggregation), eligible_ns) << first;
      if (filters.empty()) {
        EXPECT_EQ(unknown.gpu_ns(aggregation), kept.gpu_ns(aggregation)) << first;
      }
    }
  }
  facts->source.by_tensor_core_rules = false;
  EXPECT_EQ(UnknownTensorCoreUse(*profile).gpu_ns(aggregator->aggregate({})), 0)
      << "a database told each kernel's use";
}

}  // namespace
}  // namespace dlview::aggregate
