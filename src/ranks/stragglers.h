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
  one_rank,     // one that chance does not explain: often, always, for a stretch or in a burst
  one_host,     // a host as a whole, or another of its ranks each time
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
  int64_t known_waits = 0;      // such iterations
  int64_t times_straggler = 0;  // that sets the cost and stands out
  int64_t times_slow = 0;       // stands out, whether or not another one is slower
  Wide straggler_cost_ns = 0;   // of the iterations whose straggler it is
  // Sum of the time for which all others had come and waited for this one alone.
  Wide blame_ns = 0;
};

// Iterations [first, end), by column.
struct Stretch {
  std::size_t first = 0, end = 0;
  std::size_t size() const { return end - first; }
  bool operator==(const Stretch&) const = default;
};

// A rank that is slower than chance explains.
struct SlowRank {
  std::size_t row = 0;             // in RankTimes
  int64_t times = 0, of = 0;       // iterations whose straggler it is; whose wait is known
  int64_t times_slow = 0;          // in which it stands out
  double cost_ns = 0;              // per iteration with a known wait; of those it is straggler of
  bool is_always = false;          // stands out in more than half of the iterations
  bool is_burst = false;           // most of the unusual cost is its own, in few iterations
  std::optional<Stretch> stretch;  // nullopt if it is slow throughout or only intermittently
};

struct Stragglers {
  StragglerKind kind = StragglerKind::too_few;
  std::optional<std::size_t> rank;  // of one_rank: its row in RankTimes
  std::string host;                 // of one_host
  bool is_whole_host = false;       // the host is slow as a whole, not another rank each time
  // Iterations in which that rank or host is slow; nullopt if it is slow throughout or only
  // intermittently.
  std::optional<Stretch> stretch;
  std::vector<SlowRank> slow;  // the costliest first; empty below 1% of the iterations
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
  double named_cost_ns = 0;     // per iteration: of one_rank or one_host, else mean_cost_ns
  int64_t iterations_with = 0;  // a straggler
  // The probability that the most frequent straggler is so often last by chance.
  double chance = 1;
  // Of up to kFewHosts hosts with two ranks or more each, by iteration: the slowest host by its
  // median own work (kNoHost where waits are unknown), and by how much that exceeds the median of
  // the others. Empty: of more hosts, or without names.
  std::vector<std::string> hosts;
  std::vector<int32_t> slowest_host;
  std::vector<int64_t> host_gap_ns;
  // Kendall's W: 1 = the order of the ranks is the same in every iteration, 0 = by chance.
  double concordance = 0;
  std::vector<int64_t> outlying;  // iterations that are long on all ranks, by column

  double named_share() const { return mean_cost_ns > 0 ? share * named_cost_ns / mean_cost_ns : 0; }
  // Whether the mean own work of a rank can be compared: its wait is known, or that of no rank.
  bool has_own(std::size_t row) const { return ranks[row].known_waits > 0 || !are_waits_known; }
  bool are_waits_known = false;  // of some rank in some iteration
};

// A shorter skew is none: GPU events of different devices differ by tens of microseconds.
inline constexpr int64_t kLeastSkewNs = 20'000;
// A rank is not slow if it exceeds the median by less than this share of the step.
inline constexpr double kLeastShareOfStep = 0.005;
// From the median absolute deviation to the standard deviation of a normal distribution.
inline constexpr double kMadToSigma = 1.4826;

inline constexpr int32_t kNoHost = -1;
// With at most this many hosts, each has so many ranks that a slow host is no outlier.
inline constexpr std::size_t kFewHosts = 4;

// Median by nearest rank: a value that is there. 0 of nothing.
int64_t lower_median(std::vector<int64_t> values);

Stragglers find_stragglers(const RankTimes& times, const RunSummary& summary);

}  // namespace dlview::ranks
