// GPU activities that a run could avoid or overlap, and the time in which only they run on a GPU:
// its kernels would begin that much earlier (spec.md 63).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "aggregate/rules/blocking_calls.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

enum class ExposedKind : uint8_t {
  copies_to_gpu,   // from the host, with pages of unified memory, but for those of blocking calls
  copies_to_host,  // likewise
  memory_on_gpu,   // copies within a GPU and between GPUs, and memsets
  // Kernels.
  communication,
  layout_transposes,
  cuda_core_products
};
inline constexpr std::size_t kExposedKinds = 6;

constexpr bool is_of_kernels(ExposedKind kind) {
  return kind >= ExposedKind::communication;
}

struct ExposedWork {
  // Rows of Profile::kernels or Profile::memory_ops, in order of start on the GPU.
  std::vector<profile::Row> rows;
  std::vector<int64_t> reached_ns;  // by number in `rows`: the last stop up to it
  // By device: when they run and no kernel does, or of kernels no other kernel.
  std::map<profile::DeviceIndex, base::IntervalSet> exposed;
  int64_t migrations = 0;  // rows that are pages of unified memory
  // For copies: rows that share their stream with kernels; unknown in DLProf databases.
  int64_t on_compute_streams = 0;
};

using ExposedWorks = std::array<ExposedWork, kExposedKinds>;

ExposedWorks find_exposed_work(const profile::Profile& profile, const BlockingCalls& calls);

}  // namespace dlview::aggregate
