// The five times of every op instance. They do not depend on the selection, so they are computed
// once per profile.
#pragma once

#include <vector>

#include "aggregate/stats.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

// One entry per instance row; runs on all cores.
std::vector<InstanceTimes> instance_times(const profile::Profile& profile);

}  // namespace dlview::aggregate::cpu
