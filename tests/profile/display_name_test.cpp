#include "profile/display_name.h"

#include <gtest/gtest.h>

namespace dlview::profile {
namespace {

TEST(CallName, HasNoVersion) {
  EXPECT_EQ(call_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_name("cudaLaunchKernelExC_v11060"), "cudaLaunchKernelExC");
  EXPECT_EQ(call_name("cuMemcpyHtoD_v2"), "cuMemcpyHtoD");
}

TEST(CallName, KeepsWhatIsNoVersion) {
  for (const char* name : {"cuInit", "cuda_v", "read_very", "cuda_v12b", "_v7000", "v2", ""}) {
    EXPECT_EQ(call_name(name), name);
  }
}

TEST(BareRangeName, LeavesOutWhatPyTorchAdds) {
  EXPECT_EQ(bare_range_name("aten::mul, op_id = 12"), "aten::mul");
  EXPECT_EQ(bare_range_name("aten::mm, seq = 3, sizes = [[8, 4]]"), "aten::mm");
  for (const char* name : {"save_checkpoint", "load, then copy", "a = b", ""}) {
    EXPECT_EQ(bare_range_name(name), name);
  }
}

}  // namespace
}  // namespace dlview::profile
