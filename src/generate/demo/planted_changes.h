// Plants changes into the network of a demo run, before it is played.
#pragma once

#include <vector>

#include "base/result.h"
#include "generate/demo/op_spec.h"
#include "generate/demo_truth.h"

namespace dlview::generate::demo {

// Fills in `truth.changes`. An Error names a change that the network cannot have.
base::Status plant_changes(const std::vector<PlantedChange>& changes, Network& network,
                           DemoTruth& truth);

}  // namespace dlview::generate::demo
