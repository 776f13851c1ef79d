// Which ranks or hosts are slow, from the figures of all iterations (docs/dev/spec.md, ranks.kind).
#pragma once

#include <optional>
#include <vector>

#include "ranks/peers.h"
#include "ranks/rank_times.h"
#include "ranks/run_summary.h"
#include "ranks/stragglers.h"

namespace dlview::ranks {

// Fills in what the figures of ranks and iterations mean: kind, slow ranks, stretch, named cost.
void judge_stragglers(const RankTimes& times, const RunSummary& summary, const RankSets& peers,
                      Stragglers& found);

// Returns the stretch of mostly slow iterations, or nullopt: at least 60% of it and at most 10% of
// the rest are slow, and chance does not explain it. Extended to an end that is less than three
// iterations away.
std::optional<Stretch> find_stretch(const std::vector<bool>& is_slow);

}  // namespace dlview::ranks
