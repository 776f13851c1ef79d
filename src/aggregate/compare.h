// One iteration against another: which categories, ops and kernels make them differ. The usual
// other side is the typical iteration, a real one that can be opened and looked at, not an average
// of none.
#pragma once

#include <string>
#include <vector>

#include "aggregate/aggregation.h"

namespace dlview::aggregate {

// The longest iteration of a range; ties: the first.
int64_t slowest_iteration(const IterationTable& table, const IterationRange& range);

// The iteration of `range` whose breakdown lies nearest to the median of every category (sum of
// absolute differences; ties: the lowest number).
int64_t typical_iteration(const IterationTable& table, const IterationRange& range);

struct CategoryDifference {
  Category category = Category::other;
  int64_t ns = 0, baseline_ns = 0;  // exclusive, mean over the GPUs
  int64_t difference_ns() const { return ns - baseline_ns; }
  bool operator==(const CategoryDifference&) const = default;
};

// GPU or CPU time of the op's instances, whichever differs more.
struct OpDifference {
  profile::OpIndex op{0};  // kNoRow: no op, but the time in which the GPU does nothing
  bool on_gpu = false;
  int64_t ns = 0, baseline_ns = 0;        // summed over the instances that begin in the iteration
  int64_t calls = 0, baseline_calls = 0;  // 0: the op does not run there
  bool is_idle() const { return op == profile::kNoRow; }
  int64_t difference_ns() const { return ns - baseline_ns; }
  bool operator==(const OpDifference&) const = default;
};

// Kernels of one name, by the iteration that holds their op instance; memory operations are none.
struct KernelDifference {
  profile::StringId name = 0;             // Kernels::name
  int64_t ns = 0, baseline_ns = 0;        // sum
  int64_t count = 0, baseline_count = 0;  // launches; 0: it does not run there
  int64_t difference_ns() const { return ns - baseline_ns; }
  bool operator==(const KernelDifference&) const = default;
};

struct IterationComparison {
  int64_t iteration = 0, baseline = 0;
  int64_t duration_ns = 0, baseline_duration_ns = 0;
  std::vector<CategoryDifference> categories;  // all seven, in the order of the stack
  CommunicationTime communication,
      baseline_communication;  // in addition to the categories; mean over GPUs
  // The largest absolute difference first; equal rows are left out. GPU idle (no kernel and no
  // memory operation, mean over GPUs) is one of the ops if kernels were recorded.
  std::vector<OpDifference> ops;
  std::vector<KernelDifference> kernels;
};

// Differences of the parts of an iteration in ns; mean over GPUs. They add up to the difference of
// the durations.
struct PartDifferences {
  int64_t idle = 0;           // neither a kernel nor a memory operation runs
  int64_t communication = 0;  // exposed
  int64_t kernels = 0;        // the rest of the time with kernels
  int64_t memory = 0;         // memory operations, but no kernel
  bool operator==(const PartDifferences&) const = default;
};
PartDifferences part_differences(const IterationComparison& comparison);

// Costs what the two iterations hold, whatever the length of the run.
IterationComparison compare_iterations(const profile::Profile& profile, const IterationTable& table,
                                       int64_t iteration, int64_t baseline);

// Returns by what factor kernels take longer than the same ones of the baseline (less than 1: less
// long), or 1 where they do not change alike. The kernels of an iteration are those that start in
// its time and were launched in it or in the two before, as far as a host runs ahead. They are the
// same by op and name, as often launched in both; communication, which waits for others, does not
// count. They change alike if four fifths of the kernel time change by half of the median factor or
// more. The factor is at least 5%, and there are three kernels or more.
double kernel_slowdown(const profile::Profile& profile, const Iterations& iterations,
                       int64_t iteration, int64_t baseline);

// One sentence about what changed:
// "Iteration 20 is 1.20 ms longer than iteration 31: GPU idle +1.13 ms." All parts that make up a
// fifth of the difference or more are named, the largest first. Without GPU activity the op that
// differs most is.
std::string change_text(const profile::Profile& profile, const IterationComparison& comparison);

}  // namespace dlview::aggregate
