// Stragglers: the ranks that others wait for (docs/dev/spec.md, ranks.straggler). Only ranks that
// do the same are compared: their peers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/rank_times.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {

enum class StragglerKind : uint8_t {
  too_few,      // iterations, or ranks
  none,         // costs less than 1% of the iterations
  one_rank,     // more than half of the times, which chance does not explain
  one_host,     // likewise a host, and none of its ranks
  one_stage,    // groups of peers differ, and not the ranks in one
  rotating,     // another rank each time, at random
  all_at_once,  // whole iterations are outliers, on all ranks
  several,      // none of the above
};
std::string_view to_text(StragglerKind kind);  // "one rank"

struct RankFigures {
  std::size_t peers = 0;  // number of its set of peers
  double mean_duration_ns = 0;
  // Mean over the iterations whose wait is known; own work of none: over all.
  double mean_own_ns = 0;
  double mean_wait_ns = 0, mean_least_exposed_wait_ns = 0;
  int64_t known_waits = 0;  // such iterations
  int64_t times_straggler = 0;
  // Sum of the time for which all others had come and waited for this one alone.
  Wide blame_ns = 0;
};

// Iterations [first, end), by column.
struct Stretch {
  std::size_t first = 0, end = 0;
  std::size_t size() const { return end - first; }
  bool operator==(const Stretch&) const = default;
};

struct Stragglers {
  StragglerKind kind = StragglerKind::too_few;
  std::optional<std::size_t> rank;  // of one_rank: its row in RankTimes
  std::string host;                 // of one_host
  // Iterations in which that rank or host is slow; nullopt if it is slow throughout or only
  // intermittently.
  std::optional<Stretch> stretch;
  // The slowest set of peers, of one_stage.
  std::optional<std::size_t> stage;

  std::vector<RankFigures> ranks;  // as RankTimes::ranks
  std::vector<int64_t> step_ns;    // median duration over ranks, by iteration
  // Median own work over the ranks whose wait is known, by iteration; 0 of none.
  std::vector<int64_t> median_own_ns;
  std::vector<int64_t> cost_ns;    // greatest own work minus the median of its peers
  std::vector<int32_t> straggler;  // the row of that rank; -1 = none stands out
  double mean_cost_ns = 0;
  double share = 0;             // of the cost in the steps, 0..1: at most that is gained
  int64_t iterations_with = 0;  // a straggler
  // The probability that the most frequent straggler is so often last by chance.
  double chance = 1;
  // Kendall's W: 1 = the order of the ranks is the same in every iteration, 0 = by chance.
  double concordance = 0;
  std::vector<int64_t> outlying;  // iterations that are long on all ranks, by column

  // Whether the mean own work of a rank can be compared: its wait is known, or that of no rank.
  bool has_own(std::size_t row) const { return ranks[row].known_waits > 0 || !are_waits_known; }
  bool are_waits_known = false;  // of some rank in some iteration
};

// A shorter skew is none: GPU events of different devices differ by tens of microseconds.
inline constexpr int64_t kLeastSkewNs = 20'000;
// From the median absolute deviation to the standard deviation of a normal distribution.
inline constexpr double kMadToSigma = 1.4826;

// Median by nearest rank: a value that is there. 0 of nothing.
int64_t lower_median(std::vector<int64_t> values);

// Returns the stretch of mostly slow iterations, or nullopt: at least 60% of it and at most 10% of
// the rest are slow, and chance does not explain it.
std::optional<Stretch> find_stretch(const std::vector<bool>& is_slow);

Stragglers find_stragglers(const RankTimes& times, const RunSummary& summary);

}  // namespace dlview::ranks
