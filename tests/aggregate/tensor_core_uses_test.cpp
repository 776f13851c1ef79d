#include "aggregate/tensor_core_uses.h"

#include <gtest/gtest.h>

#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

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
  const auto uses = tensor_core_uses(profile, 0, 2);
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

TEST(TensorCoreUsesList, HoldsTheInstancesAndWhatFiltersKeep) {
  const profile::Profile profile = three_names();
  EXPECT_EQ(tensor_core_uses(profile, 1, 2).size(), 1u);
  const RowFilter second(profile, {*parse_filter("device", "1")});
  const auto uses = tensor_core_uses(profile, 0, 2, &second);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].gpu_ns, 20);
}

TEST(TensorCoreUsesList, SumsUpWhatDiffersAndWhatIsUnknown) {
  const TensorCoreDoubts sum = doubts(tensor_core_uses(three_names(), 0, 2));
  EXPECT_EQ(sum.names, 1);
  EXPECT_EQ(sum.launches, 2);
  EXPECT_EQ(sum.gpu_ns, 50);
  EXPECT_EQ(sum.unknown_names, 1);
  EXPECT_EQ(sum.unknown_launches, 1);
  EXPECT_EQ(sum.unknown_gpu_ns, 90);
  EXPECT_EQ(sum.all_names, 3);
}

// The file counts one launch of a name and not the other.
TEST(TensorCoreUsesList, HasANameOnceInItsCountsThoughItMayHaveSeveralRows) {
  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("conv"), 0, 100);
  const auto eligible = sketch.instance(sketch.op("linear", "linear", true), 100, 200);
  for (const bool counted : {false, true}) {
    sketch.kernel(conv, 0, 10, 0, "my_kernel", counted);
    sketch.kernel(eligible, 100, 110, 0, "my_kernel", counted);
  }
  const auto uses = tensor_core_uses(*sketch.finish(), 0, 2);
  EXPECT_EQ(uses.size(), 4u);
  const TensorCoreDoubts sum = doubts(uses);
  EXPECT_EQ(sum.all_names, 1);
  EXPECT_EQ(sum.names, 1);
  EXPECT_EQ(sum.unknown_names, 1);
}

}  // namespace
}  // namespace dlview::aggregate
