// Rows of Limits made by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "aggregate/limits/limits.h"

namespace dlview::testing {

// Peaks of a GPU: 100 TFLOP/s of FP16 on Tensor Cores, 20 TFLOP/s of FP32, 1 TB/s: ridges at 100
// and 20.
inline aggregate::GpuPeaks round_peaks() {
  aggregate::GpuPeaks peaks;
  peaks.gpu = "Round GPU";
  peaks.flops[static_cast<std::size_t>(aggregate::MathType::fp16_tensor)] =
      aggregate::Peak{1e14, "data sheet", 1e9};
  peaks.flops[static_cast<std::size_t>(aggregate::MathType::fp32)] =
      aggregate::Peak{2e13, "data sheet", 1e9};
  peaks.bandwidth = aggregate::Peak{1e12, "device properties", {}};
  return peaks;
}

// A row of this work in `time_ns`, judged against the peaks.
inline aggregate::LimitRow limit_row(std::string_view name, int64_t time_ns,
                                     std::optional<double> flops, std::optional<double> bytes,
                                     aggregate::Origin origin, const aggregate::GpuPeaks& peaks,
                                     aggregate::MathType type = aggregate::MathType::fp16_tensor) {
  using namespace aggregate;
  LimitRow row;
  row.name = name;
  row.calls = row.kernels = 1;
  row.time_ns = time_ns;
  row.type = type;
  if (flops || bytes) row.known_ns = time_ns;
  if (origin == Origin::counted) row.measured_ns = time_ns;
  const double seconds = static_cast<double>(time_ns) / 1e9;
  if (const auto& peak = peaks.of(type)) row.peak_flops = &*peak;
  if (peaks.bandwidth) row.peak_bandwidth = &*peaks.bandwidth;
  if (flops) {
    row.flops = {flops, origin, true};
    row.flops_per_second = *flops / seconds;
    if (row.peak_flops != nullptr) {
      row.math = {100 * *row.flops_per_second / row.peak_flops->per_second, origin};
    }
  }
  if (bytes) {
    row.bytes = {bytes, origin, true};
    row.bytes_per_second = *bytes / seconds;
    if (row.peak_bandwidth != nullptr) {
      row.memory = {100 * *row.bytes_per_second / row.peak_bandwidth->per_second, origin};
    }
  }
  if (flops && bytes && *bytes > 0 && *flops > 0) row.intensity = *flops / *bytes;
  row.by_flops = limit_by_shares(row.math, row.memory, {});
  if (row.peak_flops == nullptr || row.peak_bandwidth == nullptr) return row;
  row.by_intensity =
      limit_by_intensity(flops, bytes, row.peak_flops->per_second / row.peak_bandwidth->per_second);
  const auto roof = roof_of(flops, bytes, static_cast<double>(time_ns), row.peak_flops->per_second,
                            row.peak_bandwidth->per_second);
  if (!roof) return row;
  row.roof_ns = roof->time_ns;
  row.roof_percent = roof->percent;
  row.roof_is_math = roof->is_math;
  row.save_ns = static_cast<double>(time_ns) - roof->time_ns;
  return row;
}

}  // namespace dlview::testing
