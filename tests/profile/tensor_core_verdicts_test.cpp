#include "profile/tensor_core_verdicts.h"

#include <gtest/gtest.h>

#include "support/sketch.h"

namespace dlview::profile {
namespace {

// As a file of 2021 may have it: a kernel of cuDNN 8 that it does not know, one that it takes for a
// user of Tensor Cores wrongly, one that tells nothing.
Profile stored() {
  testing::Sketch sketch;
  const Row conv = sketch.instance(sketch.op("conv", "conv2d", true), 0, 100);
  sketch.kernel(conv, 0, 30, 0, "sm80_xmma_fprop_implicit_gemm_tf32f32");
  sketch.kernel(conv, 30, 40, 0, "sm80_xmma_gemm_f32f32_ffma_nn", true);
  const Row relu = sketch.instance(sketch.op("relu"), 100, 200);
  sketch.kernel(relu, 100, 160, 0, "triton_poi_fused_relu_0");
  sketch.kernel(relu, 160, 165, 0, "my_kernel");
  sketch.kernel(relu, 170, 180, 0, "CUDA graph 7, traced as a whole");
  return *sketch.finish();
}

TEST(TensorCoreVerdicts, ClassifyEachKernel) {
  const Profile profile = stored();
  TensorCoreVerdicts verdicts(profile);
  EXPECT_EQ(verdicts.of(KernelIndex{0}).use, TensorCoreUse::yes);
  EXPECT_EQ(verdicts.of(KernelIndex{1}).use, TensorCoreUse::no);
  EXPECT_EQ(verdicts.of(KernelIndex{1}).rule, "CUDA cores");
  EXPECT_EQ(verdicts.of(KernelIndex{2}).use, TensorCoreUse::unknown);
  EXPECT_EQ(verdicts.of(KernelIndex{2}).rule, "Triton");
  EXPECT_EQ(verdicts.of(KernelIndex{3}).use, TensorCoreUse::no);
  EXPECT_EQ(verdicts.of(KernelIndex{4}).use, TensorCoreUse::unknown)
      << "what ran inside was not traced";
}

TEST(TensorCoreVerdicts, ListUnknownNames) {
  const Profile profile = stored();
  TensorCoreVerdicts verdicts(profile);
  const auto may_not_know = [&](KernelIndex kernel) {
    const StringId long_name = profile.kernels.long_name[kernel];
    return verdicts.may_not_know(long_name == 0 ? profile.kernels.name[kernel] : long_name);
  };
  for (KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel) {
    if (verdicts.of(kernel).use != TensorCoreUse::unknown) continue;
    EXPECT_TRUE(may_not_know(kernel)) << kernel;
  }
  EXPECT_FALSE(may_not_know(KernelIndex{1})) << "CUDA cores, on any GPU";
}

TEST(TensorCoreVerdicts, CountTheGenerationOfTheGpu) {
  Profile profile = stored();
  profile.devices[0].compute_capability_major = 6;
  EXPECT_EQ(TensorCoreVerdicts(profile).of(KernelIndex{0}).use, TensorCoreUse::no);
}

TEST(TensorCoreVerdicts, ReplaceTheFlagsOfAFile) {
  const Profile profile = stored();
  const Profile present = by_present_rules(profile);
  EXPECT_EQ(std::vector<uint8_t>(present.kernels.uses_tensor_cores.begin(),
                                 present.kernels.uses_tensor_cores.end()),
            (std::vector<uint8_t>{1, 0, 0, 0, 0}));
  EXPECT_TRUE(present.source.by_tensor_core_rules);
  EXPECT_EQ(profile.kernels.uses_tensor_cores[1], 1) << "the file's own stay";
  EXPECT_EQ(present.kernels.name.span().data(), profile.kernels.name.span().data()) << "shared";
}

}  // namespace
}  // namespace dlview::profile
