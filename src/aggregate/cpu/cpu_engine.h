// The CPU engine as one of those that an EngineAggregator can use.
#pragma once

#include <cstdint>

#include "aggregate/engine/engine_aggregator.h"

namespace dlview::aggregate {

struct CpuOptions {
  // Rows that are added up beforehand as one block. A change of the range adds up to two blocks
  // row by row; each block takes as much memory as two or three answers.
  int64_t block_rows = 80'000;
};

MakeEngine cpu_engine(const CpuOptions& options = {});

}  // namespace dlview::aggregate
