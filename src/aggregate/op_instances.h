// The single instances of an op, behind its sums and averages. Filters apply as everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/launch_means.h"
#include "aggregate/stats.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The instance rows of every op, in order.
class OpInstances {
 public:
  explicit OpInstances(const profile::Profile& profile);
  std::span<const profile::InstanceIndex> of(profile::OpIndex op) const {
    return std::span(rows_).subspan(first_[op], first_[op + 1] - first_[op]);
  }

 private:
  std::vector<profile::Row> first_;  // of each op in rows_; one more than there are ops
  std::vector<profile::InstanceIndex> rows_;
};

// One duration and where it was measured.
struct DurationSample {
  int64_t ns = 0;
  int64_t iteration = 0;
  profile::InstanceIndex instance{0};
  bool operator==(const DurationSample&) const = default;
};

// GPU time (union) of each of these instances that lies in the range; CPU time where the op never
// uses a GPU. In order of time.
struct InstanceDurations {
  std::vector<DurationSample> samples;
  bool of_gpu = false;
};
InstanceDurations instance_durations(const profile::Profile& profile,
                                     const Aggregation& aggregation,
                                     std::span<const profile::InstanceIndex> instances);

// As above for all these ops together: one sum per iteration of the range in which one of them has
// an instance, with the first instance.
InstanceDurations iteration_durations(const profile::Profile& profile,
                                      const Aggregation& aggregation, const OpInstances& instances,
                                      std::span<const profile::OpIndex> ops);

// Duration of each kernel of this name that these instances launched in the range.
std::vector<DurationSample> kernel_durations(const profile::Profile& profile,
                                             const Aggregation& aggregation,
                                             std::span<const profile::InstanceIndex> instances,
                                             profile::StringId kernel);

// Full names of kernels that share a name.
struct FullNameUse {
  profile::StringId name = 0;
  profile::KernelIndex first{0};  // of this name
  int64_t launches = 0, gpu_ns = 0;
  bool operator==(const FullNameUse&) const = default;
};
// Returns the full names of the kernels of kernel_durations(): most GPU time first, of equal ones
// the first to run.
std::vector<FullNameUse> full_names(const profile::Profile& profile, const Aggregation& aggregation,
                                    std::span<const profile::InstanceIndex> instances,
                                    profile::StringId kernel);

// What the launches of kernel_durations() record.
struct LaunchSums {
  Stats registers_per_thread, shared_bytes;  // count 0 = not recorded
  LaunchMeans means;
  bool operator==(const LaunchSums&) const = default;
};
LaunchSums launch_sums(const profile::Profile& profile, const Aggregation& aggregation,
                       std::span<const profile::InstanceIndex> instances, profile::StringId kernel);

// Nearest rank; samples in bins of equal width from the shortest to the longest.
struct Distribution {
  int64_t min = 0, median = 0, p95 = 0, max = 0;
  std::vector<int64_t> bins;
  std::vector<DurationSample> slowest;  // longest first, at most kSlowest
};
inline constexpr std::size_t kSlowest = 5;
Distribution distribution(std::vector<DurationSample> samples, std::size_t bins);

}  // namespace dlview::aggregate
