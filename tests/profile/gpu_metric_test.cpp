#include "profile/gpu_metric.h"

#include <gtest/gtest.h>

namespace dlview::profile {
namespace {

TEST(GpuMetric, KnowsNamesOfAllGpus) {
  for (const char* name : {"SM Active", "SMs Active", "SMs Active [Throughput %]"}) {
    EXPECT_EQ(gpu_metric_of(name), GpuMetric::sm_active) << name;
  }
  for (const char* name :
       {"DRAM Read Throughput", "DRAM Read Bandwidth [Throughput %]", "VRAM Read Bandwidth"}) {
    EXPECT_EQ(gpu_metric_of(name), GpuMetric::dram_read) << name;
  }
  EXPECT_EQ(gpu_metric_of("PCIe RX Throughput"), GpuMetric::pcie_rx);
  EXPECT_EQ(gpu_metric_of("PCIe Read Throughput"), GpuMetric::pcie_rx);
  EXPECT_EQ(gpu_metric_of("Tensor Active / FP16 Active"), GpuMetric::tensor_active);
  EXPECT_EQ(gpu_metric_of("Vertex/Tess/Geometry Warps in Flight"), GpuMetric::other_warps);
  EXPECT_EQ(gpu_metric_of("NVLink TX Responses User Data [Throughput %]"), GpuMetric::nvlink_tx);
  EXPECT_EQ(gpu_metric_of("GPC Clock Frequency [MHz]"), GpuMetric::gpu_clock);
}

TEST(GpuMetric, LeavesOtherNamesAndUnitsAlone) {
  EXPECT_EQ(gpu_metric_of("Compute Warps in Flight [Avg]"), GpuMetric::other) << "not a share";
  EXPECT_EQ(gpu_metric_of("PCIe Read Requests to BAR1 [Requests]"), GpuMetric::other);
  EXPECT_EQ(gpu_metric_of("SM Active Cycles"), GpuMetric::other);
  EXPECT_EQ(gpu_metric_of(""), GpuMetric::other);
  EXPECT_EQ(gpu_metric_of("]["), GpuMetric::other);
}

TEST(GpuMetric, FindsUnits) {
  EXPECT_EQ(unit_of_gpu_metric("GPC Clock Frequency"), "Hz");
  EXPECT_EQ(unit_of_gpu_metric("GPC Clock Frequency [MHz]"), "MHz");
  EXPECT_EQ(unit_of_gpu_metric("Pixel Warps in Flight"), "%");
  EXPECT_EQ(unit_of_gpu_metric("Async Copy Engine Active 0 [Throughput %]"), "%");
  EXPECT_EQ(unit_of_gpu_metric("PCIe Write Requests to BAR1 [Requests]"), "Requests");
  EXPECT_EQ(unit_of_gpu_metric("Draw Started"), "");
  EXPECT_EQ(without_unit("SMs Active [Throughput %]"), "SMs Active");
  EXPECT_EQ(without_unit("SM Active"), "SM Active");
}

}  // namespace
}  // namespace dlview::profile
