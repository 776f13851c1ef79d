// The faster of several engines, found out on the questions that the user asks.
#pragma once

#include <vector>

#include "aggregate/engine/engine_aggregator.h"

namespace dlview::aggregate {

// All that can be made answer until each has answered some changes of the range; the one whose best
// answer took the shortest time is kept, and says so in reason(). One that fails drops out.
//
// The first engine is trusted: every answer of the others is compared with its answer while all
// answer, later those on the first filter of each kind and on the first other cut; it stays in
// memory until all of these have come. An answer that differs by a bit is not returned: the engine
// throws instead, so that the next one of the EngineAggregator answers everything again.
MakeEngine faster_engine(std::vector<MakeEngine> engines);

}  // namespace dlview::aggregate
