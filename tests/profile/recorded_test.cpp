// What a profile says of the program that it was recorded from.

#include "profile/recorded.h"

#include <vector>

#include <gtest/gtest.h>

namespace dlview::profile {
namespace {

TEST(GpuApi, HasTheNameOfItsMaker) {
  const auto api = [](const std::vector<Vendor>& vendors) {
    Profile profile;
    for (const Vendor vendor : vendors) {
      Device& device = profile.devices.emplace_back();
      device.vendor = vendor;
    }
    return gpu_api(profile);
  };
  EXPECT_EQ(api({}), "CUDA API");
  EXPECT_EQ(api({Vendor::nvidia, Vendor::nvidia}), "CUDA API");
  EXPECT_EQ(api({Vendor::amd}), "HIP API");
  EXPECT_EQ(api({Vendor::intel}), "GPU API");
  EXPECT_EQ(api({Vendor::unknown}), "GPU API");
  EXPECT_EQ(api({Vendor::nvidia, Vendor::amd}), "GPU API");
}

}  // namespace
}  // namespace dlview::profile
