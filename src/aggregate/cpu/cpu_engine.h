// The CPU engine as one of those that an EngineAggregator can use.
#pragma once

#include "aggregate/aggregator.h"
#include "aggregate/engine/engine_aggregator.h"

namespace dlview::aggregate {

MakeEngine cpu_engine(const CpuOptions& options = {});

}  // namespace dlview::aggregate
