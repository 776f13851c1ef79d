// What names tell (profile/tensor_core_rules.h and its neighbors) of every kernel and op of real
// profiles.

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/progress.h"
#include "import/open.h"
#include "profile/communication.h"
#include "profile/eligible_ops.h"
#include "profile/tensor_core_rules.h"
#include "support/test_data.h"

namespace dlview::import {
namespace {

using profile::Profile;
using ::testing::UnorderedElementsAre;

Profile open_real(const std::string& file) {
  base::Progress progress;
  base::Result<Profile> opened = open_profile(*testing::test_data_folder() / file, progress);
  EXPECT_TRUE(opened.ok()) << file;
  return opened.ok() ? *std::move(opened) : Profile{};
}

class DlprofRun : public ::testing::TestWithParam<const char*> {};

TEST_P(DlprofRun, MatchesTheRulesInFlagsAndEligibleOps) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Profile profile = open_real(std::string("dlprof/") + GetParam() + "/dlprof_dldb.sqlite");
  ASSERT_GT(profile.kernels.size(), 0U);
  for (profile::KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel) {
    const profile::Device& device = profile.devices[profile.device_of_kernel(kernel)];
    const std::string_view name = profile.text(profile.kernels.long_name[kernel]);
    const bool is_eligible =
        profile.is_eligible(profile.instances.op[profile.kernels.instance[kernel]]);
    const profile::TensorCoreVerdict verdict =
        profile::tensor_core_use(name,
                                 profile::ComputeCapability{device.compute_capability_major,
                                                            device.compute_capability_minor},
                                 is_eligible);
    EXPECT_EQ(verdict.use, profile.kernels.uses_tensor_cores[kernel] != 0
                               ? profile::TensorCoreUse::yes
                               : profile::TensorCoreUse::no)
        << name << ": " << verdict.rule;
  }
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    const std::string_view type = profile.text(profile.ops.type[op]);
    EXPECT_EQ(profile::is_eligible_op_type(type), profile.is_eligible(op)) << type;
  }
}

INSTANTIATE_TEST_SUITE_P(KernelNames, DlprofRun, ::testing::Values("no_relu", "with_relu"),
                         [](const auto& test) { return std::string(test.param); });

TEST(KernelNames, TellTensorCoresAndCommunicationInARunOnTwoH100) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Profile profile = open_real("nsys/2026.2_ddp_2xh100_before.sqlite");
  ASSERT_TRUE(profile.trace);
  const profile::TraceKernels& kernels = profile.trace->kernels;
  std::set<std::string_view> on_tensor_cores, communication;
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    const std::string_view name = profile.text(kernels.demangled_name[kernel]);
    const std::string_view short_name = profile.text(kernels.short_name[kernel]);
    const auto verdict = profile::tensor_core_use(name, profile::ComputeCapability{9, 0}, false);
    EXPECT_NE(verdict.use, profile::TensorCoreUse::unknown) << name;
    if (verdict.use == profile::TensorCoreUse::yes) on_tensor_cores.insert(short_name);
    if (profile::communication_of(name)) communication.insert(short_name);
  }
  EXPECT_THAT(on_tensor_cores,
              UnorderedElementsAre("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN",
                                   "nvjet_tst_192x208_64x4_1x1_h_bz_coopB_bias_TNT",
                                   "nvjet_tst_96x64_64x10_1x2_h_bz_bias_TNN", "flash_fwd_kernel"));
  EXPECT_THAT(communication, UnorderedElementsAre("ncclDevKernel_SendRecv"));
}

}  // namespace
}  // namespace dlview::import
