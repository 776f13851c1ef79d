// PackedInstances: what is summed of each op instance, in as few bytes as most of them need, for
// adding up many is bound by memory. The few with times that 32 bits do not hold are looked up in
// the ProfileIndex.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/engine/cells.h"
#include "aggregate/engine/profile_index.h"
#include "aggregate/stats.h"
#include "base/untouched_vector.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// As InstanceTimes, in ns; the overhead follows from the others.
struct PackedTimes {
  static constexpr uint32_t kLong = std::numeric_limits<uint32_t>::max();

  uint32_t cpu = kLong, gpu = 0, api = 0, idle = 0;

  // GPU and idle time are below 2^32 together, so that those of some of its events are, too.
  bool is_long() const { return cpu == kLong; }
  InstanceTimes unpacked() const { return {cpu, gpu, api, int64_t{cpu} - api, idle}; }
};

inline std::array<int64_t, 5> values_of(const PackedTimes& times) {
  return values_of(times.unpacked());
}

// As KernelTotals.
struct PackedKernels {
  static constexpr uint16_t kLong = std::numeric_limits<uint16_t>::max();

  uint32_t gpu_ns = 0, tensor_core_gpu_ns = 0;
  uint16_t count = kLong;
  uint16_t tensor_core_count : 15 = 0;
  // Has only kernels, on one device, each with start <= stop; and its times are packed.
  uint16_t is_plain : 1 = 0;

  bool is_long() const { return count == kLong; }
};

class PackedInstances {
 public:
  // Runs on all cores. Both must outlive it.
  PackedInstances(const profile::Profile& profile, const ProfileIndex& index);

  const PackedTimes& packed_times(profile::InstanceIndex instance) const {
    return times_[instance];
  }
  InstanceTimes times(profile::InstanceIndex instance) const {
    const PackedTimes& packed = times_[instance];
    return packed.is_long() ? index_->times[instance] : packed.unpacked();
  }
  const PackedKernels& packed_kernels(profile::InstanceIndex instance) const {
    return kernels_[instance];
  }
  KernelTotals kernels(profile::InstanceIndex instance) const {
    const PackedKernels& packed = kernels_[instance];
    if (packed.is_long()) return index_->kernels_between(instance, instance + 1);
    return {packed.count, packed.tensor_core_count, packed.gpu_ns, packed.tensor_core_gpu_ns};
  }

  // Number of instances with long times.
  std::size_t long_count() const { return long_.size(); }
  std::size_t number_of_long(profile::InstanceIndex instance) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(long_, instance) - long_.begin());
  }

 private:
  bool is_plain(const profile::Profile& profile, profile::InstanceIndex instance) const;

  const ProfileIndex* index_;
  base::UntouchedVector<PackedTimes> times_;
  base::UntouchedVector<PackedKernels> kernels_;
  std::vector<profile::InstanceIndex> long_;
};

}  // namespace dlview::aggregate::cpu
