// The figures of a measured launch, found by the names of its metrics on any page of Nsight
// Compute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/limits/math_type.h"
#include "aggregate/limits/verdicts.h"
#include "profile/counters.h"

namespace dlview::aggregate {

// nullopt = not recorded. Percent is 0..100.
struct CounterFacts {
  std::optional<double> duration_ns;
  std::optional<double> compute_percent;  // sm__throughput: the busiest pipe of the SM
  std::optional<double> memory_percent;   // the largest of L1, L2 and DRAM
  std::optional<double> dram_percent, l2_percent, l1_percent;
  std::optional<double> dram_read_bytes, dram_write_bytes;
  std::optional<double> dram_bytes;  // their sum, or bytes/s x duration
  std::optional<double> l2_bytes, l1_bytes;
  std::optional<double> flops;         // add + mul + 2 fma of FP64, FP32, FP16, and Tensor Cores
  std::optional<double> tensor_flops;  // the part on Tensor Cores
  std::optional<MathType> type;        // of most of them
  std::optional<double> tensor_pipe_percent;
  std::optional<double> occupancy_percent, theoretical_occupancy_percent;
  std::optional<double> registers, waves, sm_count;
  // The smallest block limit: "registers", "shared memory", "warps", "blocks", "barriers".
  std::string occupancy_limit;
  std::optional<double> sm_clock_hz, dram_clock_hz;
  std::optional<double> peak_fp32_flops, peak_dram_bandwidth;  // at these clocks, per second
  std::string device_name;
  std::string rule;  // title of ncu's Speed of Light rule; empty = not in the file
  SpeedOfLight speed_of_light = SpeedOfLight::unknown;  // by the numbers
  // Names of percentages above 100.
  std::vector<std::string> above_100;
};

// The facts of each launch, in order. O(metrics + values). Names of metrics are looked at once.
std::vector<CounterFacts> facts_of(const profile::KernelCounters& counters,
                                   const LimitThresholds& thresholds = {});

}  // namespace dlview::aggregate
