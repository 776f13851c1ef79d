// Peaks of GPUs: the table, the rule SMs x clock, device properties, the user's file.

#include "aggregate/limits/peaks.h"

#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/limits/expected_figures.h"

namespace dlview::aggregate {
namespace {

using nlohmann::json;
using testing::expected_figures;
using ::testing::HasSubstr;
using testing::kFigureTolerance;

double of(const GpuPeaks& peaks, MathType type) {
  return peaks.of(type) ? peaks.of(type)->per_second : 0;
}
double bandwidth(const GpuPeaks& peaks) {
  return peaks.bandwidth ? peaks.bandwidth->per_second : 0;
}

GpuPeaks peaks_by_name(std::string name, std::optional<int64_t> sm_count = std::nullopt) {
  GpuProperties gpu;
  gpu.name = std::move(name);
  gpu.sm_count = sm_count;
  return peaks_of(gpu);
}

TEST(Peaks, FollowFromDeviceProperties) {
  DLVIEW_REQUIRE_TEST_DATA();
  int checked = 0;
  for (const json& figures : expected_figures("device_peaks")) {
    GpuProperties gpu;
    gpu.name = "unknown product";
    const std::string capability = figures["cc"];
    gpu.cc_major = std::stoi(capability);
    gpu.cc_minor = std::stoi(capability.substr(capability.find('.') + 1));
    gpu.sm_count = figures["sm"].get<int64_t>();
    gpu.clock_hz = figures["clock_hz"].get<double>();
    gpu.bandwidth = figures["gbps"].get<double>() * 1e9;
    const GpuPeaks peaks = peaks_of(gpu);
    const auto near = [&](double value, double expected) {
      EXPECT_NEAR(value, expected, expected * kFigureTolerance) << figures["gpu"];
    };
    near(of(peaks, MathType::fp32), figures["fp32_tflops"].get<double>() * 1e12);
    near(of(peaks, MathType::fp16_tensor), figures["tensor_fp16_tflops"].get<double>() * 1e12);
    near(of(peaks, MathType::fp16_tensor) / bandwidth(peaks), figures["ridge_tensor"]);
    EXPECT_EQ(peaks.of(MathType::fp32)->source, "SMs × clock");
    ++checked;
  }
  EXPECT_EQ(checked, 11);
}

// Names as drivers report them, with one product that only looks like it.
TEST(Peaks, TableKnowsGpusByTheirNames) {
  EXPECT_DOUBLE_EQ(of(peaks_by_name("NVIDIA H100 80GB HBM3", 132), MathType::bf16_tensor),
                   989.4e12);
  EXPECT_DOUBLE_EQ(of(peaks_by_name("NVIDIA H100 PCIe", 114), MathType::bf16_tensor), 756e12);
  EXPECT_DOUBLE_EQ(of(peaks_by_name("NVIDIA H200"), MathType::fp8_tensor), 1978.9e12);
  EXPECT_DOUBLE_EQ(of(peaks_by_name("Tesla V100-SXM2-32GB", 80), MathType::fp32), 15.7e12);
  EXPECT_DOUBLE_EQ(bandwidth(peaks_by_name("NVIDIA A100-SXM4-40GB", 108)), 1555.2e9);
  EXPECT_DOUBLE_EQ(bandwidth(peaks_by_name("NVIDIA A100-SXM4-80GB", 108)), 2039.04e9);
  EXPECT_DOUBLE_EQ(bandwidth(peaks_by_name("NVIDIA A100 80GB PCIe", 108)), 1935.36e9);
  EXPECT_DOUBLE_EQ(bandwidth(peaks_by_name("NVIDIA B200", 148)), 7672.32e9);
  EXPECT_DOUBLE_EQ(of(peaks_by_name("NVIDIA GeForce RTX 4090", 128), MathType::fp16_tensor),
                   165.2e12);
  EXPECT_DOUBLE_EQ(of(peaks_by_name("AMD Instinct MI300X", 304), MathType::bf16_tensor), 1307.4e12);
}

TEST(Peaks, OtherProductsHaveNone) {
  for (const char* name :
       {"NVIDIA GeForce RTX 4090 D", "NVIDIA GeForce RTX 3090 Ti",
        "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA A10G", "NVIDIA A100-SXM-64GB",
        "NVIDIA H200 NVL", "Quadro GP100", "", "NVIDIA H100 80GB HBM3 MIG 1g.10gb"}) {
    EXPECT_TRUE(peaks_by_name(name).empty()) << name;
  }
}

// A slice has fewer SMs than its name says; its share of the bandwidth is unknown.
TEST(Peaks, SliceOfGpuHasNoTableRow) {
  EXPECT_TRUE(peaks_by_name("NVIDIA H100 80GB HBM3", 16).empty());
}

TEST(Peaks, GeForceAccumulatesAtHalfRate) {
  GpuProperties gpu;
  gpu.name = "NVIDIA GeForce RTX 3070 Ti";
  gpu.cc_major = 8;
  gpu.cc_minor = 6;
  gpu.sm_count = 48;
  gpu.clock_hz = 1.86e9;
  EXPECT_DOUBLE_EQ(of(peaks_of(gpu), MathType::fp16_tensor), 48 * 1.86e9 * 512);
  EXPECT_DOUBLE_EQ(of(peaks_of(gpu), MathType::fp32), 48 * 1.86e9 * 256);
  gpu.name = "NVIDIA RTX A5000";
  EXPECT_DOUBLE_EQ(of(peaks_of(gpu), MathType::fp16_tensor), 48 * 1.86e9 * 1024);
}

// FP16 outside Tensor Cores is in no data sheet.
TEST(Peaks, PlainHalfFollowsFromSingle) {
  GpuProperties gpu;
  gpu.name = "NVIDIA H100 80GB HBM3";
  gpu.cc_major = 9;
  gpu.cc_minor = 0;
  EXPECT_DOUBLE_EQ(of(peaks_of(gpu), MathType::fp16), 2 * 67e12);
  EXPECT_DOUBLE_EQ(of(peaks_by_name("AMD Instinct MI300X", 304), MathType::fp16), 163.4e12);
}

TEST(Peaks, DeviceBandwidthGoesBeforeTable) {
  GpuProperties gpu;
  gpu.name = "NVIDIA H100 80GB HBM3";
  gpu.sm_count = 132;
  gpu.bandwidth = 3328e9;
  const GpuPeaks peaks = peaks_of(gpu);
  EXPECT_DOUBLE_EQ(bandwidth(peaks), 3328e9);
  EXPECT_EQ(peaks.bandwidth->source, "device properties");
  EXPECT_EQ(peaks.of(MathType::fp16_tensor)->source, "data sheet");
}

// The device reports the bandwidth of the whole GPU.
TEST(Peaks, PartOfAGpuHasNoBandwidth) {
  GpuProperties gpu;
  gpu.name = "NVIDIA A100-SXM4-40GB MIG 1g.5gb";
  gpu.sm_count = 14;
  gpu.bandwidth = 1555.2e9;
  EXPECT_FALSE(peaks_of(gpu).bandwidth);
}

TEST(PeaksFile, ReadsLabelsOfRealFile) {
  DLVIEW_REQUIRE_TEST_DATA();
  std::ifstream file(*testing::test_data_folder() / "ncu" / "rtx5070_peaks.csv");
  std::ostringstream text;
  text << file.rdbuf();
  const auto theoretical = parse_peaks(text.str(), "p.csv");
  ASSERT_TRUE(theoretical);
  GpuProperties gpu;
  gpu.name = "NVIDIA GeForce RTX 5070";
  const GpuPeaks peaks = peaks_of(gpu, &*theoretical);
  EXPECT_DOUBLE_EQ(of(peaks, MathType::fp32), 32.256e12);
  EXPECT_DOUBLE_EQ(bandwidth(peaks), 672.048e9);
  EXPECT_EQ(peaks.bandwidth->source, "p.csv:2");
  const auto measured = parse_peaks(text.str(), "p.csv", "measured");
  ASSERT_TRUE(measured);
  EXPECT_DOUBLE_EQ(bandwidth(peaks_of(gpu, &*measured)), 590061393638.3);
}

TEST(PeaksFile, RowsAreForTheirGpuAndType) {
  const auto peaks = parse_peaks(
      "gpu,type,tflops,gbps,source,clock_hz\r\n"
      "# by hand\r\n"
      "NVIDIA L4,FP16 Tensor,100,250,mine,\r\n"
      "\"H100, any\",FP32,50,,,\r\n"
      "L4,,,280,,\r\n",
      "my.csv");
  ASSERT_TRUE(peaks) << peaks.error().detail;
  GpuProperties gpu;
  gpu.name = "NVIDIA L4";
  const GpuPeaks of_l4 = peaks_of(gpu, &*peaks);
  EXPECT_DOUBLE_EQ(of(of_l4, MathType::fp16_tensor), 100e12);
  EXPECT_DOUBLE_EQ(of(of_l4, MathType::fp32), 30.3e12);  // of the table
  EXPECT_DOUBLE_EQ(bandwidth(of_l4), 250e9);             // the first row that has it
  EXPECT_EQ(of_l4.bandwidth->source, "my.csv:3");
}

TEST(PeaksFile, BadRowNamesItsLine) {
  const auto detail_of = [](const char* text) {
    const auto peaks = parse_peaks(text, "my.csv");
    return peaks ? std::string("accepted") : peaks.error().detail;
  };
  EXPECT_THAT(detail_of("gpu,type,tflops,gbps\nL4,FP16 Tensor,fast,300\n"),
              HasSubstr("line 2: tflops is not a positive number: \"fast\""));
  EXPECT_THAT(detail_of("gpu,type,tflops,gbps\n\nL4,FP17,1,300\n"),
              HasSubstr("line 3: unknown number format \"FP17\""));
  EXPECT_THAT(detail_of("label,peak_flops,peak_bandwidth\ntheoretical,-1,1\n"),
              HasSubstr("line 2: peak_flops is not a positive number"));
  EXPECT_THAT(detail_of("name,speed\n"), HasSubstr("line 1"));
  EXPECT_EQ(detail_of(""), "my.csv");
  EXPECT_THAT(detail_of("label,peak_flops,peak_bandwidth\nmeasured,1,1\n"), HasSubstr("measured"));
  EXPECT_THAT(detail_of("gpu,type,tflops,gbps\nL4,FP32,inf,1\n"), HasSubstr("line 2"));
}

}  // namespace
}  // namespace dlview::aggregate
