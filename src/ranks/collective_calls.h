// The synchronizing collectives of a rank: calls in which nobody can leave before all have come, so
// that the one who is last does not wait, and all others do (docs/dev/spec.md, ranks.wait).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/communication.h"
#include "profile/profile.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {

// AllReduce, AllGather, ReduceScatter, AllToAll and Barrier.
bool is_synchronizing(profile::Collective collective);

struct RankCall {
  std::string group;
  int64_t place = 0;  // in its group; alike on all ranks
  profile::Collective collective = profile::Collective::other;
  std::optional<int64_t> bytes;
  std::optional<int64_t> group_size;
  std::size_t iteration = 0;  // in the range: that launched it
  profile::KernelIndex kernel{0};
  int64_t start_ns = 0, stop_ns = 0;
  int64_t exposed_ns = 0;  // while no other kernel runs on its GPU
  int64_t duration_ns() const { return stop_ns - start_ns; }
};

struct RankCalls {
  SummaryRules::Matching matching = SummaryRules::Matching::none;
  std::vector<RankCall> calls;  // in order of (group, place)
  std::map<std::string, GroupFacts> groups;
};

// `numbers`: of each iteration of the range, that its marker counts with. `by_kernels`: calls are
// to be matched by kernel_place, whatever they have. Kernels that match the filters count. Costs a
// pass over the kernels of the range.
RankCalls rank_calls(const profile::Profile& profile, const aggregate::Aggregation& aggregation,
                     const std::vector<int64_t>& numbers, bool by_kernels = false);

}  // namespace dlview::ranks
