// What limits a kernel or an op, by four rules that stand side by side (docs/dev/spec.md, Limits):
//   FLOP/s       achieved FLOP/s and bytes/s against the peaks of the GPU
//   busy         busy counters: SM throughput and DRAM throughput of Nsight Compute
//   intensity    FLOP per byte against the ridge: which roof is lower, not whether it is reached
//   ncu          Nsight Compute's own Speed of Light rule
// Percent is 0..100 and may be larger: data stayed in the L2 cache, or a peak is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dlview::aggregate {

enum class Limit : uint8_t { unknown, math, memory, both, neither, no_flop };
// "math", "memory", "both", "neither", "no FLOP", "unknown".
std::string_view to_text(Limit limit);

// Where a number comes from, weakest first.
enum class Origin : uint8_t { none, estimated, sampled, counted };
std::string_view to_text(Origin origin);

struct LimitThresholds {
  double utilization_percent = 70;  // dlview's; editable
  double near_points = 5;           // "(near)" within so many points of it
  // Nsight Compute's.
  double sol_latency_percent = 60, sol_high_percent = 80, sol_difference_points = 10;
  bool operator==(const LimitThresholds&) const = default;
};

// A busy tensor pipe at or below it is noise: 1% was sampled in a kernel without tensor work.
inline constexpr double kTensorNoisePercent = 2;

// A percentage of a peak and its origin.
struct Share {
  std::optional<double> percent;
  Origin origin = Origin::none;
  // The part that is sure, of an estimate that may be too high; nullopt = all of it.
  std::optional<double> sure = std::nullopt;
  std::optional<double> proof() const { return sure ? sure : percent; }
  bool is_lower_bound() const { return origin == Origin::estimated && !sure; }
  bool operator==(const Share&) const = default;
};

// Rules "FLOP/s" and "busy". What is sure of an estimated share can prove math or memory, never
// that something is below the threshold.
Limit limit_by_shares(const Share& compute, const Share& memory, const LimitThresholds& thresholds);
// Whether a known share is within near_points of the threshold.
bool is_near(const Share& compute, const Share& memory, const LimitThresholds& thresholds);

// Rule "intensity". nullopt = unknown; 0 FLOP is no_flop.
Limit limit_by_intensity(std::optional<double> flops, std::optional<double> bytes,
                         std::optional<double> ridge);

// Rule "ncu".
enum class SpeedOfLight : uint8_t {
  unknown,
  high_throughput,
  high_compute,
  high_memory,
  balanced,
  latency,
  small_grid,
  small_grid_or_latency,  // the number of waves is not recorded
};
std::string_view to_text(SpeedOfLight verdict);
SpeedOfLight speed_of_light(std::optional<double> compute_percent,
                            std::optional<double> memory_percent, std::optional<double> waves,
                            const LimitThresholds& thresholds);

// The roof above a mark of this intensity.
struct Roof {
  double time_ns = 0;    // max(FLOP / peak FLOP/s, bytes / peak bytes/s)
  bool is_math = false;  // else memory
  double percent = 0;    // roof time / time
  bool operator==(const Roof&) const = default;
};
// Peaks per second. nullopt if a needed number is unknown or the time is not positive.
std::optional<Roof> roof_of(std::optional<double> flops, std::optional<double> bytes,
                            double time_ns, std::optional<double> peak_flops,
                            std::optional<double> peak_bytes);

}  // namespace dlview::aggregate
