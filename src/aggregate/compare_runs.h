// One run against another: in what their mean iterations differ. Ops and kernels of two files have
// no numbers in common, so that their names match them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/compare.h"
#include "aggregate/iterations.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// A run and the iterations of it that are compared; refers to both.
struct ComparedRun {
  const profile::Profile& profile;
  const Aggregation& aggregation;
};

// Mean over the iterations of each run; 0: it does not occur there.
struct MeanDifference {
  double before = 0, after = 0;
  double difference() const { return after - before; }
};

struct CategoryChange {
  Category category = Category::other;
  MeanDifference ns;  // exclusive, mean over the GPUs that match the filters
};

// Mean and median over the iterations of each run; single slow iterations do not change the median.
struct MeanAndMedian {
  MeanDifference mean, median;
};

// Ops of one name, type and direction. GPU or CPU time, whichever differs more. GPU idle is a row
// without a name, if GPU activity was recorded in both runs.
struct OpChange {
  std::string_view name, type, direction;
  bool on_gpu = false;
  MeanDifference ns, calls;
  bool is_idle() const { return name.empty(); }
};

// Kernels of one identity (kernel_keys.h); sum.
struct KernelChange {
  std::string name;
  MeanDifference ns, launches;
};

// What an op or a kernel became. If both runs have it, the larger part of its difference decides:
// the change of its calls at the mean before, or the change of its mean. Both parts add up to the
// difference.
enum class ChangeKind : uint8_t { same, added, removed, more_calls, fewer_calls, slower, faster };
std::string_view to_text(ChangeKind kind);  // "more calls"
ChangeKind kind_of_change(const MeanDifference& ns, const MeanDifference& calls);

// The largest absolute difference first. Ops and kernels that did not change are left out; those of
// one run only are not, so that the rows add up. Texts are those of the profiles.
struct RunComparison {
  MeanDifference iteration_ns;             // the average iteration
  bool is_split = false;                   // either run has several iterations
  std::vector<CategoryChange> categories;  // all seven, in the order of the stack
  // GPU idle (no kernel and no memory operation) and exposed communication; means over the GPUs
  // that match the filters.
  MeanAndMedian gpu_idle_ns, exposed_communication_ns;
  bool has_gpu_activity = false;   // both runs
  bool has_communication = false;  // either run
  std::vector<OpChange> ops;
  std::vector<KernelChange> kernels;
};

// Returns the part differences of the mean iterations. They add up to the difference of the
// durations.
PartDifferences part_differences(const RunComparison& comparison);

// Compares two runs. Filters apply as everywhere.
RunComparison compare_runs(const ComparedRun& before, const ComparedRun& after);

// KernelKeys: what kernels of two runs are matched by. The name of a kernel depends on what other
// kernels its run has ("elementwise_kernel", "elementwise<add>"), its identity does not
// (profile/kernel_labels.h).

class KernelKeys {
 public:
  // A name that has several identities in one of the runs, as in DLProf databases, is its own key.
  KernelKeys(const profile::Profile& before, const profile::Profile& after);

  // Returns the key of a name of Profile::kernels.
  const std::string& before(profile::StringId name) const { return before_.at(name); }
  const std::string& after(profile::StringId name) const { return after_.at(name); }
  // Returns the more specific of the two names, or the key if another key has that name.
  const std::string& name_of(const std::string& key) const { return names_.at(key); }

 private:
  using Keys = std::map<profile::StringId, std::string>;
  void add_names(const profile::Profile& profile, const Keys& keys);

  Keys before_, after_;
  std::map<std::string, std::string> names_;  // by key
};

// Whether all kernels of an iteration take longer alike, as at lower clocks.

// Returns by what factor kernels take longer than the same ones of the baseline (less than 1: less
// long), or 1 where they do not change alike. The kernels of an iteration are those that start in
// its time and were launched in it or in the two before, as far as a host runs ahead. They are the
// same by op and name, as often launched in both; communication, which waits for others, does not
// count. They change alike if four fifths of the kernel time change by half of the median factor or
// more. The factor is at least 5%, and there are three kernels or more.
double kernel_slowdown(const profile::Profile& profile, const Iterations& iterations,
                       int64_t iteration, int64_t baseline);

// One sentence about what changed between two iterations or two runs.

// "Iteration 20 is 1.20 ms longer than iteration 31: GPU idle +1.13 ms." All parts that make up a
// fifth of the difference or more are named, the largest first. Without GPU activity the op that
// differs most is.
std::string change_text(const profile::Profile& profile, const IterationComparison& comparison);
// "Iterations are 539 ms shorter: GPU idle −545 ms." Of less than 1% "Iterations take as long as
// before." Of runs that are not split "The run is ..."
std::string change_text(const RunComparison& comparison);

}  // namespace dlview::aggregate
