#include "aggregate/limits/verdicts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dlview::aggregate {

std::string_view to_text(Limit limit) {
  switch (limit) {
    case Limit::math:
      return "math";
    case Limit::memory:
      return "memory";
    case Limit::both:
      return "both";
    case Limit::neither:
      return "neither";
    case Limit::no_flop:
      return "no FLOP";
    case Limit::unknown:
      break;
  }
  return "unknown";
}

std::string_view to_text(Origin origin) {
  switch (origin) {
    case Origin::estimated:
      return "estimated";
    case Origin::sampled:
      return "sampled";
    case Origin::counted:
      return "counted";
    case Origin::none:
      break;
  }
  return "";
}

Limit limit_by_shares(const Share& compute, const Share& memory,
                      const LimitThresholds& thresholds) {
  if (!compute.percent || !memory.percent) return Limit::unknown;
  const bool is_math = *compute.proof() >= thresholds.utilization_percent;
  const bool is_memory = *memory.proof() >= thresholds.utilization_percent;
  if (is_math && is_memory) return Limit::both;
  if (is_math) return Limit::math;
  if (is_memory) return Limit::memory;
  const bool are_bounds = compute.origin == Origin::estimated || memory.origin == Origin::estimated;
  return are_bounds ? Limit::unknown : Limit::neither;
}

bool is_near(const Share& compute, const Share& memory, const LimitThresholds& thresholds) {
  return std::ranges::any_of(std::array{&compute, &memory}, [&](const Share* share) {
    return share->percent &&
           std::abs(*share->proof() - thresholds.utilization_percent) <= thresholds.near_points;
  });
}

Limit limit_by_intensity(std::optional<double> flops, std::optional<double> bytes,
                         std::optional<double> ridge) {
  if (flops && *flops == 0) return Limit::no_flop;
  if (!flops || !bytes || !ridge || *bytes <= 0) return Limit::unknown;
  return *flops / *bytes > *ridge ? Limit::math : Limit::memory;
}

std::string_view to_text(SpeedOfLight verdict) {
  switch (verdict) {
    case SpeedOfLight::high_throughput:
      return "High Throughput";
    case SpeedOfLight::high_compute:
      return "High Compute Throughput";
    case SpeedOfLight::high_memory:
      return "High Memory Throughput";
    case SpeedOfLight::balanced:
      return "Balanced Throughput";
    case SpeedOfLight::latency:
      return "Latency Issue";
    case SpeedOfLight::small_grid:
      return "Small Grid";
    case SpeedOfLight::small_grid_or_latency:
      return "Small Grid or Latency Issue";
    case SpeedOfLight::unknown:
      break;
  }
  return "unknown";
}

SpeedOfLight speed_of_light(std::optional<double> compute_percent,
                            std::optional<double> memory_percent, std::optional<double> waves,
                            const LimitThresholds& thresholds) {
  if (!compute_percent || !memory_percent) return SpeedOfLight::unknown;
  const double compute = *compute_percent, memory = *memory_percent;
  if (std::max(compute, memory) >= thresholds.sol_high_percent) {
    return SpeedOfLight::high_throughput;
  }
  if (std::max(compute, memory) < thresholds.sol_latency_percent) {
    if (!waves) return SpeedOfLight::small_grid_or_latency;
    return *waves < 1 ? SpeedOfLight::small_grid : SpeedOfLight::latency;
  }
  if (std::abs(compute - memory) < thresholds.sol_difference_points) return SpeedOfLight::balanced;
  return compute > memory ? SpeedOfLight::high_compute : SpeedOfLight::high_memory;
}

std::optional<Roof> roof_of(std::optional<double> flops, std::optional<double> bytes,
                            double time_ns, std::optional<double> peak_flops,
                            std::optional<double> peak_bytes) {
  constexpr double kSecondNs = 1e9;
  if (!flops || !bytes || !peak_bytes || time_ns <= 0 || *peak_bytes <= 0) return std::nullopt;
  // Without FLOP no peak of them is needed.
  if (*flops > 0 && (!peak_flops || *peak_flops <= 0)) return std::nullopt;
  const double math_ns = *flops > 0 ? *flops / *peak_flops * kSecondNs : 0;
  const double memory_ns = *bytes / *peak_bytes * kSecondNs;
  const double roof_ns = std::max(math_ns, memory_ns);
  return Roof{roof_ns, math_ns > memory_ns, 100 * roof_ns / time_ns};
}

}  // namespace dlview::aggregate
