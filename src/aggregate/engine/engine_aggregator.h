// EngineAggregator: an Aggregator over any engine. It remembers the last cut and the last filters,
// so that each question costs what has changed: a range two look-ups, filters one pass over the
// rows, a cut its iterations.
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

// Takes the first engine that can be made. When it fails later, the next one answers from then on,
// the question at hand included; Aggregator::notice() tells. `reason`: why these engines, as long
// as an engine has none of its own.
std::unique_ptr<Aggregator> make_engine_aggregator(std::shared_ptr<const profile::Profile> profile,
                                                   std::vector<MakeEngine> engines,
                                                   std::string reason = {});

}  // namespace dlview::aggregate
