// Peers: the ranks that do the same work, which alone are compared (docs/dev/spec.md, ranks.peers).
#pragma once

#include <cstddef>
#include <vector>

#include "ranks/rank_times.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {

using RankSets = std::vector<std::vector<std::size_t>>;  // rows of RankTimes, ascending

// Each rank is in one set. A rank that is alone with its work has no peers, unless all are.
RankSets peers_of(const RankTimes& times, const RunSummary& summary);

}  // namespace dlview::ranks
