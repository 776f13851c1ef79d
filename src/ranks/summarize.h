// Reduces a rank of a profile to a summary. The numbers are those of the aggregator, so that the
// summary of one file says what the window shows of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "aggregate/iterations.h"
#include "aggregate/selection.h"
#include "base/result.h"
#include "profile/profile.h"
#include "ranks/identity.h"
#include "ranks/run_summary.h"

namespace dlview::ranks {

struct RankInput {
  std::shared_ptr<const profile::Profile> profile;
  RankIdentity identity;           // with a rank
  aggregate::Selection selection;  // selection_of() the identity; its range becomes the rows
  std::string file;                // name, without folders
  bool by_kernels = false;         // see rank_calls()
};

// Costs an aggregation, a pass over the op instances and one over the kernels of the range.
RunSummary summarize(const RankInput& input);

// Numbers of the iterations of a range that agree on all ranks: those that the marker counts with
// ("step 30"), if all have one and they ascend, else from 0.
std::vector<int64_t> iteration_numbers(const aggregate::Iterations& iterations,
                                       const aggregate::IterationRange& range);

}  // namespace dlview::ranks
