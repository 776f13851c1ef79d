// Means of what launches of kernels record (profile/launch_attributes.h).
#pragma once

#include <cstdint>

#include "aggregate/stats.h"
#include "profile/launch_attributes.h"

namespace dlview::aggregate {

// Of kernels for which they are recorded, each weighted by its GPU duration.
struct LaunchMeans {
  WeightedMean blocks_per_sm;  // in millionths
  WeightedMean occupancy;      // in percent

  void add(const profile::LaunchAttributes& attributes, int64_t gpu_ns);
  void merge(const LaunchMeans& other);
  bool operator==(const LaunchMeans&) const = default;
};

}  // namespace dlview::aggregate
