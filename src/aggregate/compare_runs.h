// One run against another: in what their mean iterations differ. Ops and kernels of two files have
// no numbers in common, so that their names match them.
#pragma once

#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"

namespace dlview::aggregate {

// A run and the iterations of it that are compared; refers to both.
struct ComparedRun {
  const profile::Profile& profile;
  const Aggregation& aggregation;
};

// Of an iteration, on average over those of each run; 0: it does not happen there.
struct MeanDifference {
  double before = 0, after = 0;
  double difference() const { return after - before; }
};

struct CategoryChange {
  Category category = Category::other;
  MeanDifference ns;  // exclusive, mean over the kept GPUs
};

// Ops of one name, type and direction. GPU or CPU time, whichever differs more.
struct OpChange {
  std::string_view name, type, direction;
  bool on_gpu = false;
  MeanDifference ns, calls;
};

// Kernels of one short name; plain sums.
struct KernelChange {
  std::string_view name;
  MeanDifference ns, launches;
};

// The largest absolute difference first; ops and
// kernels that did not change are left out. Texts are those of the profiles.
struct RunComparison {
  MeanDifference iteration_ns;             // the average iteration
  std::vector<CategoryChange> categories;  // all seven, in the order of the stack
  std::vector<OpChange> ops;
  std::vector<KernelChange> kernels;
};

// What filters keep counts, as everywhere.
RunComparison compare_runs(const ComparedRun& before, const ComparedRun& after);

}  // namespace dlview::aggregate
