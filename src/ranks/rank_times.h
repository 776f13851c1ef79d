// RankTimes: durations, waits and own work of each rank in each iteration, from a summary
// (docs/dev/spec.md, ranks.own). In synchronous training all ranks take equally long, because the
// fast ones wait for the slow ones: only own work tells who is slow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregate/breakdown.h"
#include "base/result.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {

// A number of each rank and iteration.
struct RankMatrix {
  std::size_t iterations = 0;
  std::vector<int64_t> values;  // by rank, then iteration

  int64_t at(std::size_t rank, std::size_t iteration) const {
    return values[rank * iterations + iteration];
  }
  int64_t& at(std::size_t rank, std::size_t iteration) {
    return values[rank * iterations + iteration];
  }
};

struct RankTimes {
  std::vector<int64_t> ranks;    // rows, ascending
  std::vector<int64_t> numbers;  // columns: of iterations that all ranks have, ascending

  RankMatrix start_ns, duration_ns;  // by the clock of the rank
  // The seven parts of the breakdown per GPU; kernels with communication.
  std::array<RankMatrix, aggregate::kCategoryCount> parts;
  RankMatrix communication_ns, exposed_ns;  // per GPU
  // Sum over the synchronizing collectives that the iteration launched: duration minus that of the
  // member who waited least. -1: a call of a collective is missing, so that it is not known.
  RankMatrix wait_ns;
  // The part of it in which no other kernel ran lies between these two; likewise -1.
  RankMatrix least_exposed_wait_ns, most_exposed_wait_ns;

  // Duration minus exposed wait, of which the least is sure; the whole duration where it is not
  // known.
  int64_t own_ns(std::size_t rank, std::size_t iteration) const;
};

// Fails if the ranks have no iteration in common. Costs the rows and collectives of the summary.
base::Result<RankTimes> rank_times(const RunSummary& summary);

}  // namespace dlview::ranks
