// Samples of GPU metrics and memory events, made up so that their means are known: they follow from
// the kernels and memory operations of the profile.
//
// A sample is the mean of the period before it. While a kernel runs, SMs are active; the other
// metrics have levels that depend on the kernel's name. Times begin before 0, clocks above 2^31 are
// written as negative numbers, and one metric has a name that nobody knows.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "generate/nsys/tables.h"

namespace dlview::generate::nsys {

inline constexpr std::array<std::string_view, 11> kSampledMetrics{
    "GPC Clock Frequency",
    "GR Active",
    "SMs Active [Throughput %]",
    "SM Issue [Throughput %]",
    "Tensor Active",
    "Compute Warps in Flight",
    "Unallocated Warps in Active SMs",
    "DRAM Read Bandwidth [Throughput %]",
    "DRAM Write Bandwidth [Throughput %]",
    "PCIe RX Throughput",
    "Kernels per Sample"};

struct PlantedSample {
  int64_t time_ns = 0;
  std::array<int64_t, kSampledMetrics.size()> values = {};
};
// Samples of a GPU, every `period_ns` from a quarter of it before 0 to the end of the profile.
// O(samples + kernels).
std::vector<PlantedSample> planted_samples(const profile::Profile& profile,
                                           profile::DeviceIndex device, int64_t period_ns);

// GPU_METRICS and TARGET_INFO_GPU_METRICS; of v2021 GENERIC_EVENTS.
void write_gpu_metrics(Export& out, const profile::Profile& profile, int64_t period_ns);

struct PlantedMemoryEvent {
  int64_t time_ns = 0;
  int64_t device = 0;  // the CUDA ordinal
  profile::Thread thread;
  profile::MemoryKind kind = profile::MemoryKind::device;
  bool is_free = false;
  int64_t bytes = 0, address = 0;
};
// Each memory operation allocates its bytes when its call starts; every fourth one pinned memory of
// the host. The eighth operation after it frees them. In order of time.
std::vector<PlantedMemoryEvent> planted_memory_events(const profile::Profile& profile);

// CUDA_GPU_MEMORY_USAGE_EVENTS.
void write_memory_usage(Export& out, const profile::Profile& profile);

}  // namespace dlview::generate::nsys
