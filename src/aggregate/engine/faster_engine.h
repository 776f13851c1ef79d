// Chooses the fastest of several engines, by measuring them with the user's own requests.
#pragma once

#include <vector>

#include "aggregate/engine/engine_aggregator.h"

namespace dlview::aggregate {

// Lets all available engines answer some range changes, then uses the one with the shortest best
// time; reason() says so. Drops engines that fail.
//
// The first engine is the reference. The answers of the others are compared with its answers while
// all answer, later for the first filter of each kind and the first other split; it stays in memory
// until then. If an answer differs in one bit, the engine throws instead of returning it, and the
// next engine of the EngineAggregator repeats everything.
MakeEngine faster_engine(std::vector<MakeEngine> engines);

}  // namespace dlview::aggregate
