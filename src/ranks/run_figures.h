// RunFigures: all that dlview says of a run of ranks, from its summary.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ranks/clocks.h"
#include "ranks/rank_set.h"
#include "ranks/rank_times.h"
#include "ranks/run_summary.h"
#include "ranks/stragglers.h"
#include "ranks/why_slower.h"

namespace dlview::ranks {

// Calls of collectives that are alike: of one type, group and message size.
struct CollectiveRow {
  std::string group;
  profile::Collective collective = profile::Collective::other;
  std::optional<int64_t> bytes;
  std::optional<int64_t> group_size;
  GroupKind group_kind = GroupKind::unknown;
  int64_t calls = 0;
  int64_t matched = 0;                        // all members that the run has are there, and agree
  int64_t members = 0;                        // of a call, that the run has
  bool is_mismatched = false;                 // its calls may be different ones: none is matched
  std::vector<int64_t> transfer_ns, skew_ns;  // of matched calls, ascending
  Wide transfer_sum_ns = 0, skew_sum_ns = 0;
  // Over the members of all calls.
  Wide duration_ns = 0, exposed_ns = 0;
  int64_t last_rank = -1, last_times = 0;  // that was last most often, of calls with a skew

  double match_rate() const;                          // of its calls, 0..1
  std::optional<double> algorithm_bandwidth() const;  // bytes per second of transfer
  std::optional<double> bus_bandwidth() const;
};

// A call of such a row.
struct CollectiveCall {
  int64_t place = 0;              // of its group, in the order of the calls
  std::optional<int64_t> number;  // of the iteration that launched it; nullopt = outside
  bool is_matched = false;        // else neither time is known
  int64_t transfer_ns = 0, skew_ns = 0;
  int64_t last_rank = -1;  // for which the others waited; -1 = the skew is too short
  int64_t first_rank = 0;  // that waited longest
};

struct RunFigures {
  RunFigures() = default;
  // Times refer to the summary.
  RunFigures(const RunFigures&) = delete;
  RunFigures& operator=(const RunFigures&) = delete;

  RunSummary summary;            // with the collectives that were matched by time
  std::vector<ClockFit> clocks;  // by part
  RankTimes times;
  Stragglers stragglers;
  Why why;  // why stragglers are slow: for one_rank, one_host and rotating
  std::vector<CollectiveRow> collectives;  // the longest first, of all ranks
  // Empty = of all ranks. Else the parts of the summary and all above but collectives are of these;
  // waits are those for all ranks.
  RankSet only;
  std::size_t ranks_of_run = 0;  // that were read, where `only` is not empty
  RankSet not_there;             // that were asked for, and the run does not have
  RankSet missing;               // of the whole run; none if its size is not recorded
  std::string lacking;           // "; rank 3 lacks 4 calls": of the whole run

  std::size_t rank_count() const { return times.ranks.size(); }
  // With those that are left out.
  std::size_t all_ranks() const { return only.empty() ? rank_count() : ranks_of_run; }
  // The calls of a row of `collectives`, in order. Costs the collectives of the summary.
  std::vector<CollectiveCall> calls_of(std::size_t row) const;
  // By mean own work: that in the middle, by nearest rank, and the greatest. Ties: the lowest rank.
  std::size_t typical_rank() const;
  std::size_t slowest_rank() const;
  const RankPart& part_of(std::size_t rank) const;  // the first one
  // "5 of 8 ranks", "8 ranks", "4 ranks (0–3) of 8".
  std::string ranks_text() const;
  // What a reader must know of it: contradictions of sources, clocks that do not fit, lost calls.
  std::vector<std::string> notes() const;
  // "Rank 4 is clearly the slowest in 86% of the iterations. On average, it takes 3.1 ms longer …".
  std::string sentence() const;
  // Returns what makes the named rank or host slower; see `why`.
  Why why_slow() const;

 private:
  // Returns the iterations in which a rank or host is slow: "From iteration 120 on", "Through
  // iteration 79", "In iterations 30–80". Empty: throughout.
  std::string stretch_text(const std::optional<Stretch>& stretch) const;
  // `cost`: "94.9 us per iteration (1.9%)".
  std::string one_rank_sentence(const std::string& cost) const;
  std::string one_host_sentence(const std::string& cost) const;
  std::string several_sentence(const std::string& cost) const;
  std::string also_sentence() const;
  template <typename IsOne>
  std::size_t typical_of(const IsOne& is_one_of_them) const;
  std::string stages_sentence() const;
  std::string slow_iterations_sentence() const;
};
using SharedRunFigures = std::shared_ptr<const RunFigures>;

// An error, too, if `only` has no rank of the run.
base::Result<SharedRunFigures> make_run_figures(RunSummary summary, const RankSet& only = {});

}  // namespace dlview::ranks
