// The faster of several engines, found out on the questions that the user asks.
#pragma once

#include <vector>

#include "aggregate/engine/engine_aggregator.h"

namespace dlview::aggregate {

// All that can be made answer until each has answered some changes of the range; the one whose best
// answer took the shortest time is kept, and says so in reason(). One that fails drops out.
MakeEngine faster_engine(std::vector<MakeEngine> engines);

}  // namespace dlview::aggregate
