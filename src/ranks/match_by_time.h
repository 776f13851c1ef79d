// Calls of collectives that lack sequence numbers, found on other ranks by their ends
// (docs/dev/spec.md, ranks.match): where the place in the iteration cannot tell, because a rank
// lacks calls or has them in another order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "ranks/clocks.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {

struct TimeMatches {
  // Of a rank in an iteration: sums over the collectives that it called, by the class of its calls.
  struct OfRank {
    std::array<int64_t, kCallClasses> least_ns{};
    int64_t calls = 0;
  };
  using ByRank = std::map<int64_t, OfRank>;
  // (group, number of the iteration) whose calls were matched by time; of ranks that lack none.
  std::map<std::pair<std::string, int64_t>, ByRank> iterations;
  // (rank, group, place of a call) to the place of its collective, of all calls above.
  std::map<std::tuple<int64_t, std::string, int64_t>, int64_t> places;

  // nullptr = its calls were not matched by time.
  const ByRank* find(const std::string& group, int64_t number) const;
  // Where the collective of a call is in the summary.
  int64_t place_of(int64_t rank, const std::string& group, int64_t place) const;
};

// Replaces the collectives of these iterations in the summary, and takes groups whose calls end
// together now out of what `clocks` doubt. Costs the samples of all parts if some call may be
// matched wrongly, else the collectives of the summary.
TimeMatches match_by_time(RunSummary& summary, Clocks& clocks);

}  // namespace dlview::ranks
