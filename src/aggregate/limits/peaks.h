// Peak rates of GPUs: dense FLOP/s by number format, and bytes/s of memory. From the user's file,
// from a table with sources, or from the properties of the device; never guessed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/limits/math_type.h"
#include "base/result.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct Peak {
  double per_second = 0;  // FLOP (INT8: operations) or bytes
  std::string source;     // "data sheet", "SMs × clock", "device properties", "peaks.csv:3"
  std::optional<double> clock_hz;  // that it assumes
  bool operator==(const Peak&) const = default;
};

struct GpuPeaks {
  std::string gpu;                                    // the row that was used: "H100 SXM"
  std::array<std::optional<Peak>, kMathTypes> flops;  // by MathType
  std::optional<Peak> bandwidth;
  std::optional<int64_t> l2_bytes;
  const std::optional<Peak>& of(MathType type) const {
    return flops[static_cast<std::size_t>(type)];
  }
  bool empty() const;
  bool operator==(const GpuPeaks&) const = default;
};

// What is known of a GPU; empty or nullopt = not recorded.
struct GpuProperties {
  std::string name;  // "NVIDIA H100 80GB HBM3"
  bool is_nvidia = true;
  std::optional<int32_t> cc_major, cc_minor;
  std::optional<int64_t> sm_count;
  std::optional<double> clock_hz, bandwidth;
};
GpuProperties properties_of(const profile::Profile& profile, profile::DeviceIndex device);

// FLOP per clock and SM of NVIDIA GPUs, a multiply-add counted as two; on GeForce with FP32
// accumulation. nullopt = the compute capability or the type is not in the table.
std::optional<double> flop_per_clock_and_sm(const GpuProperties& gpu, MathType type);

// Reads to_text(MathType), ignoring case.
std::optional<MathType> parse_math_type(std::string_view text);
std::string math_type_names();  // "FP64, FP64 Tensor, ..."

// Rows of --peaks FILE. Columns of the table `peaks` (gpu,type,tflops,gbps,...), or
// label,peak_flops,peak_bandwidth, of which the row "theoretical" is used.
struct UserPeaks {
  struct Row {
    std::string gpu;                         // empty = of any GPU
    std::optional<MathType> type;            // nullopt = of any type
    std::optional<double> flops, bandwidth;  // per second
    int64_t line = 0;
    bool operator==(const Row&) const = default;
  };
  std::string path;
  std::vector<Row> rows;
  bool operator==(const UserPeaks&) const = default;
};
// Reads the text of such a file; errors name the line.
base::Result<UserPeaks> parse_peaks(std::string_view text, std::string path,
                                    std::string_view label = "theoretical");

// The user's rows first, then the table for the tensor formats and the device for bandwidth, then
// what follows from the properties.
GpuPeaks peaks_of(const GpuProperties& gpu, const UserPeaks* user = nullptr);

}  // namespace dlview::aggregate
