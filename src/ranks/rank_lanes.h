// RankLanes: what the timeline of ranks draws of one of them: when its GPUs compute, and its
// communication, on the clock of its own file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/intervals.h"
#include "profile/communication.h"
#include "ranks/summarize.h"

namespace dlview::ranks {

struct LaneCall {
  int64_t start_ns = 0, stop_ns = 0;
  // Of a synchronizing collective, its key in the summary: the group's place in RankLanes::groups,
  // and its place in the group. -1 = other communication.
  int64_t group = -1, place = -1;
  profile::Collective collective = profile::Collective::other;

  bool is_synchronizing() const { return group >= 0; }
};

struct RankLanes {
  int64_t rank = 0;
  base::IntervalSet computing;  // any kernel without communication, on any GPU of the rank
  std::vector<LaneCall> calls;  // in order of their start
  std::vector<std::string> groups;
};

// Costs an aggregation and a pass over the kernels of the file.
RankLanes rank_lanes(const RankInput& input);

}  // namespace dlview::ranks
