// RankTimes: durations, waits and own work of each rank in each iteration, from a summary
// (docs/dev/spec.md, ranks.own). In synchronous training all ranks take equally long, because the
// fast ones wait for the slow ones: only own work tells who is slow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/breakdown.h"
#include "base/result.h"
#include "ranks/match_by_time.h"
#include "ranks/rank_matrix.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {

struct RankTimes {
  std::vector<int64_t> ranks;        // rows, ascending
  std::vector<int64_t> numbers;      // columns: of iterations that all ranks have, ascending
  std::set<std::string> mismatched;  // groups whose calls may be matched wrongly
  // Of groups that were matched by place the iterations in which a member lacks calls: its later
  // ones have the places of others. Without those matched by time.
  std::set<IterationOfGroup> incomplete;
  std::shared_ptr<const TimeMatches> by_time = std::make_shared<const TimeMatches>();

  RankMatrix start_ns, duration_ns;  // by the clock of the rank
  // The seven parts of the breakdown per GPU; kernels with communication.
  std::array<RankMatrix, aggregate::kCategoryCount> parts;
  RankMatrix communication_ns, exposed_ns;  // per GPU
  // Sum over the synchronizing collectives that the iteration launched: duration minus that of the
  // member who waited least. -1: a call of a collective is missing, so that it is not known.
  RankMatrix wait_ns;
  // The part of it in which no other kernel ran lies between these two; likewise -1.
  RankMatrix least_exposed_wait_ns, most_exposed_wait_ns;

  // Whether calls of the collective are surely the same one.
  bool are_same(const CollectiveKey& key, const CollectiveSum& sum) const;

  // Duration minus exposed wait, of which the least is sure; the whole duration where it is not
  // known.
  int64_t own_ns(std::size_t rank, std::size_t iteration) const;
};

// Waits in groups that are `mismatched` are not known, nor those of incomplete iterations, but for
// what was matched `by_time`. Fails if the ranks have no iteration in
// common. Costs durations, waits and collectives of the summary; start_ns, parts, communication and
// most_exposed_wait_ns are read when they are needed. The summary must outlive the result, where it
// is.
base::Result<RankTimes> rank_times(const RunSummary& summary,
                                   const std::set<std::string>& mismatched = {},
                                   TimeMatches by_time = {});

// Sums over the iterations of a rank, per GPU.
struct RankSums {
  std::array<double, aggregate::kCategoryCount> parts_ns{};  // kernels with communication
  double exposed_ns = 0;                                     // communication
  // The part of it that is surely wait: of each iteration the least exposed wait, at most as long
  // as its exposed communication.
  double exposed_wait_ns = 0;
};
// By rank. Costs the columns, and keeps none of them.
std::vector<RankSums> rank_sums(const RankTimes& times);

// The mean iteration of a rank in parts that add up to its duration: the seven without
// communication, exposed transfer, and exposed wait, before which own work ends.
struct MeanIteration {
  static constexpr std::size_t kTransfer = aggregate::kCategoryCount, kWait = kTransfer + 1,
                               kParts = kWait + 1;
  std::array<double, kParts> parts_ns{};
  double own_ns = 0;  // all but the wait
};
std::vector<MeanIteration> mean_iterations(const RankTimes& times);  // by rank; likewise

// An iteration of a rank, by row and column.
struct RankCell {
  std::size_t rank = 0, iteration = 0;
};
// The sums over these cells; likewise.
RankSums sum_of(const RankTimes& times, std::vector<RankCell> cells);

}  // namespace dlview::ranks
