// GPU metrics: what the counters mean that Nsight Systems samples on a GPU, by the words of their
// names. Names vary between GPUs and versions: "SM Active", "SMs Active [Throughput %]".
#pragma once

#include <cstdint>
#include <string_view>

namespace dlview::profile {

// In the order in which they are listed. `other`: no known name, or a unit that is not a share.
enum class GpuMetric : uint8_t {
  gpu_active,
  sm_active,
  sm_issue,
  tensor_active,
  compute_warps,
  other_warps,        // of graphics
  unallocated_warps,  // slots of active SMs that no warp uses
  dram_read,
  dram_write,
  nvlink_rx,
  nvlink_tx,
  pcie_rx,
  pcie_tx,
  gpu_clock,
  system_clock,
  other,
};

GpuMetric gpu_metric_of(std::string_view name);

// "%", "Hz", "MHz" or what the name has in brackets; "" = unknown. Without brackets, clocks are in
// Hz, and activity, throughput, bandwidth and warps are percentages.
std::string_view unit_of_gpu_metric(std::string_view name);

// The name without its unit: "SMs Active" of "SMs Active [Throughput %]".
std::string_view without_unit(std::string_view name);

}  // namespace dlview::profile
