// The CPU engine as one of those that an EngineAggregator can use.
#pragma once

#include <cstdint>

#include "aggregate/engine/engine_aggregator.h"

namespace dlview::aggregate {

struct CpuOptions {
  // Rows that are summed beforehand as one block. A change of the range sums up to two blocks
  // row by row; each block takes as much memory as four answers.
  int64_t block_rows = 40'000;
  // Where an answer is large, blocks are of more rows, so that they take no more memory than this.
  int64_t bytes_per_row = 16;
};

MakeEngine cpu_engine(const CpuOptions& options = {});

}  // namespace dlview::aggregate
