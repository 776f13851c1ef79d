#include "aggregate/launch_means.h"

namespace dlview::aggregate {

void LaunchMeans::add(const profile::LaunchAttributes& attributes, int64_t gpu_ns) {
  if (attributes.blocks_per_sm_millionths) {
    blocks_per_sm.add(*attributes.blocks_per_sm_millionths, gpu_ns);
  }
  if (attributes.occupancy_percent) occupancy.add(*attributes.occupancy_percent, gpu_ns);
}

void LaunchMeans::merge(const LaunchMeans& other) {
  blocks_per_sm.merge(other.blocks_per_sm);
  occupancy.merge(other.occupancy);
}

}  // namespace dlview::aggregate
