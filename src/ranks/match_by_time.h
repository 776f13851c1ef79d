// Calls of collectives that lack sequence numbers, found on other ranks by their ends
// (docs/dev/spec.md, ranks.match): where the place in the iteration cannot tell, because a rank
// lacks calls or has them in another order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ranks/clocks.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {

using IterationOfGroup = std::pair<std::string, int64_t>;  // the group, and the iteration's number

struct TimeMatches {
  // Of a rank in an iteration: sums over the collectives that it called, by the class of its calls.
  struct OfRank {
    std::array<int64_t, kCallClasses> least_ns{};
    int64_t calls = 0;
  };
  using ByRank = std::map<int64_t, OfRank>;
  struct Move {
    int64_t rank = 0;
    int64_t from = 0, to = 0;  // place of the call, and of its collective in the summary
  };

  // Whose calls were matched by time; of ranks that lack none.
  std::map<IterationOfGroup, ByRank> iterations;
  std::map<std::string, std::vector<Move>> moves;  // of their calls, in order of (rank, from)
  // Of groups that were matched by time, whose other calls they are nobody knows.
  std::set<IterationOfGroup> unknown;
  std::map<CollectiveKey, CollectiveSum> replaced;  // collectives that the summary had before

  // nullptr = its calls were not matched by time.
  const ByRank* find(const std::string& group, int64_t number) const;
  // Where the collective of a call is in the summary.
  int64_t place_of(int64_t rank, const std::string& group, int64_t place) const;
};

// Replaces the collectives of these iterations in the summary, and removes groups whose calls end
// together now from `clocks.mismatched`. Costs the samples of the members if some call of a group
// may be matched wrongly, else the collectives of the summary.
TimeMatches match_by_time(RunSummary& summary, Clocks& clocks);

// The summary as it was before.
void undo(const TimeMatches& matches, RunSummary& summary);

}  // namespace dlview::ranks
