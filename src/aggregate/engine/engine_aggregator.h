// EngineAggregator: an Aggregator over any engine. It remembers the last split and the last
// filters, so that a request costs only what has changed: a range two look-ups, filters one pass
// over the rows, a split its iterations.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aggregate/aggregator.h"
#include "aggregate/engine/engine.h"

namespace dlview::aggregate {

using MakeEngine = std::function<std::unique_ptr<Engine>(
    const profile::Profile& profile, std::shared_ptr<const ProfileIndex> index)>;

// Uses the first engine that can be created. If it fails later, the next one takes over and repeats
// the current request; Aggregator::notice() says so. `reason`: why these engines, unless the engine
// has its own reason.
std::unique_ptr<Aggregator> make_engine_aggregator(std::shared_ptr<const profile::Profile> profile,
                                                   std::vector<MakeEngine> engines,
                                                   std::string reason = {});

}  // namespace dlview::aggregate
