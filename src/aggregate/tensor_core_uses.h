// Which kernels use Tensor Cores: as the numbers have it, which may be what a file of 2021 stored,
// and as the present rules see it, with the rule that says so.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/row_filter.h"
#include "profile/profile.h"
#include "profile/tensor_core_rules.h"

namespace dlview::aggregate {

struct TensorCoreUses {
  profile::StringId name = 0;  // short
  bool counted = false;        // as using them, in every number
  profile::TensorCoreVerdict present;
  int64_t launches = 0, gpu_ns = 0;  // sum
  // Unknown is no contradiction.
  bool differs() const {
    return present.use != profile::TensorCoreUse::unknown &&
           counted != (present.use == profile::TensorCoreUse::yes);
  }
};

// The kernels of these instances that the filter keeps (null = all), most GPU time first: a row for
// each name, or several where the rules see kernels of one name differently.
std::vector<TensorCoreUses> tensor_core_uses(const profile::Profile& profile,
                                             profile::InstanceIndex first,
                                             profile::InstanceIndex last,
                                             const RowFilter* filter = nullptr);

// Launches, GPU time (sum) and distinct names of the rows that differ, and of those that are
// unknown.
struct TensorCoreDoubts {
  int64_t all_names = 0;
  int64_t names = 0, launches = 0, gpu_ns = 0;
  int64_t unknown_names = 0, unknown_launches = 0, unknown_gpu_ns = 0;
};
TensorCoreDoubts doubts(const std::vector<TensorCoreUses>& uses);

// Returns the kernels whose use of Tensor Cores the rules do not know, in ascending order; they
// count as no. Empty if the numbers follow a database, which stores an answer for each. Uses all
// cores.
std::vector<profile::KernelIndex> kernels_of_unknown_use(const profile::Profile& profile);

// Times and names of the kernels of unknown use. Looked up once, for fast answers for any range.
// Refers to the profile.
class UnknownTensorCoreUse {
 public:
  explicit UnknownTensorCoreUse(const profile::Profile& profile);

  // Returns those that match the filters.
  UnknownTensorCoreUse filtered(const std::vector<Filter>& filters) const;
  // Sum of their times in the range; the filters are those that they were filtered by.
  int64_t gpu_ns(const Aggregation& aggregation) const;
  // The part of it in ops that are eligible or use Tensor Cores in the range: what they are of
  // Aggregation::eligible_kernel_ns.
  int64_t eligible_gpu_ns(const Aggregation& aggregation) const;
  // Whether the rules know all kernels that match the filters.
  bool is_empty() const { return times_.kernels.empty(); }
  // Return whether an op, or a name, has a kernel of unknown use in the whole run. Filters do not
  // apply.
  bool is_of_op(profile::OpIndex op) const { return !of_ops_.empty() && of_ops_[op]; }
  bool is_of_name(profile::StringId name) const { return !of_names_.empty() && of_names_[name]; }

 private:
  // Those of `all` that match the filters.
  UnknownTensorCoreUse(const UnknownTensorCoreUse& all, const std::vector<Filter>& filters);
  void add(profile::KernelIndex kernel);  // in ascending order

  // Kernels in ascending order, and for each the time of those before it.
  struct Times {
    std::vector<profile::KernelIndex> kernels;
    std::vector<int64_t> ns_before = {0};
    void add(const profile::Profile& profile, profile::KernelIndex kernel);
    int64_t between(profile::KernelIndex first, profile::KernelIndex last) const;
  };

  const profile::Profile* profile_;
  Times times_;
  std::vector<Times> times_of_ops_;      // empty if the rules know all kernels
  std::vector<bool> of_ops_, of_names_;  // empty if the rules know all kernels
};

// UnknownTensorCoreUse::eligible_gpu_ns() under the filters of the aggregation. Looks at all
// kernels: for a single answer.
int64_t unknown_eligible_ns(const profile::Profile& profile, const Aggregation& aggregation);

}  // namespace dlview::aggregate
