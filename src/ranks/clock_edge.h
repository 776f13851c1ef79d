// How the clock of one part of a summary relates to that of another: by the host that both ran on,
// or by their common collectives (docs/dev/spec.md, ranks.clock). clocks.h follows these edges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranks/clocks.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {

inline constexpr std::size_t kFewestPairs = 3;
inline constexpr double kLeastAgreeing = 0.95;

// Common collectives, and those that end together.
struct ClockEnds {
  int64_t pairs = 0, agreeing = 0;
  std::set<int64_t> apart;  // numbers of the iterations of the others
  double share() const { return static_cast<double>(agreeing) / static_cast<double>(pairs); }
  bool agree() const { return pairs == 0 || share() >= kLeastAgreeing; }
  // Few pairs tell nothing.
  bool are_one() const { return pairs < static_cast<int64_t>(kFewestPairs) || agree(); }
};

// How one part relates to another: times of `to` plus the offset are times of `from`.
struct ClockEdge {
  std::size_t to = 0;
  ClockBy by = ClockBy::none;
  double offset_ns = 0, drift = 0;
  int64_t at_ns = 0;  // of `to`
  double error_ns = 0;
  int64_t pairs = 0;
  std::string note = {}, doubt = {};
  std::map<std::string, ClockEnds> ends = {};  // by group; of any offset that pairs have in turn
};

struct ClockPair {
  const ClockSample* from;
  const ClockSample* to;
  int64_t transfer_ns() const {
    return std::min(from->stop_ns - from->start_ns, to->stop_ns - to->start_ns);
  }
};

using ClockSamples = std::vector<ClockSample>;

// (group, number) of the iterations in which some rank lacks calls: there the places of later calls
// are those of others.
using LackingCalls = std::set<std::pair<std::string_view, int64_t>>;

// Clocks of a damaged file may be any.
int64_t rounded_ns(double ns);

// The clock that two parts share, without a look at collectives.
std::optional<ClockEdge> edge_by_host(const RankHead& from, const RankHead& to);

// Calls of one place; without those of iterations in which a rank lacks calls, if enough are left.
// `lacking`: null where sequence numbers tell the calls.
std::vector<ClockPair> clock_pairs(const ClockSamples& from, const ClockSamples& to,
                                   const LackingCalls* lacking);

// Counts the calls that end together, by group. If they are few, the edge has a doubt: calls that
// were matched by their order alone may be different ones.
void check_ends(const std::vector<ClockPair>& pairs, ClockEdge& edge);

// By the ends of common calls; where these end together in another order, by the difference that
// most have. nullopt = too few are common.
std::optional<ClockEdge> edge_by_collectives(const ClockSamples& from, const ClockSamples& to,
                                             const LackingCalls* lacking);

// The other way: times of `from` from those of `to`.
ClockEdge reversed(const ClockEdge& edge, std::size_t from);

// How far the ends of a collective on two ranks may lie apart: by errors of the clock, events of
// different GPUs, and a part of the transfer.
int64_t most_between_ends(double error_ns, int64_t transfer_ns);

// A line through points that outliers do not move (Theil and Sen): the median of the slopes between
// pairs of points half of them apart, and the median of what is left.
struct Line {
  double slope = 0, offset = 0;
};
Line robust_line(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace dlview::ranks
