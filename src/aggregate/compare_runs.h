// One run against another: in what their mean iterations differ. Ops and kernels of two files have
// no numbers in common, so that their names match them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/compare.h"

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

// Of the iterations of each run: mean, and median, which single slow iterations do not move.
struct MeanAndMedian {
  MeanDifference mean, median;
};

// Ops of one name, type and direction. GPU or CPU time, whichever differs more. The time in which
// the GPU is idle stands among them, without a name, where both runs tell of GPU activity.
struct OpChange {
  std::string_view name, type, direction;
  bool on_gpu = false;
  MeanDifference ns, calls;
  bool is_idle() const { return name.empty(); }
};

// Kernels of one identity (kernel_keys.h); plain sums.
struct KernelChange {
  std::string name;
  MeanDifference ns, launches;
};

// The largest absolute difference first; ops and
// kernels that did not change are left out. Texts are those of the profiles.
struct RunComparison {
  MeanDifference iteration_ns;             // the average iteration
  bool is_split = false;                   // either run has several iterations
  std::vector<CategoryChange> categories;  // all seven, in the order of the stack
  // Neither a kernel nor a memory operation runs; exposed communication. Means over the kept GPUs.
  MeanAndMedian gpu_idle_ns, exposed_communication_ns;
  bool has_gpu_activity = false;   // both runs
  bool has_communication = false;  // either run
  std::vector<OpChange> ops;
  std::vector<KernelChange> kernels;
};

// Of the mean iterations. The parts add up to the difference of their durations.
PartDifferences part_differences(const RunComparison& comparison);

// What filters keep counts, as everywhere.
RunComparison compare_runs(const ComparedRun& before, const ComparedRun& after);

}  // namespace dlview::aggregate
