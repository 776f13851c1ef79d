// Which numbers of an aggregation were recorded: missing ones are not zeros.
#pragma once

#include <bitset>
#include <cstdint>

#include "aggregate/aggregation.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The categories of the breakdown that the profile has, by their numbers.
class RecordedCategories {
 public:
  RecordedCategories(const profile::Profile& profile, const Aggregation& aggregation);
  bool contains(Category category) const { return set_[static_cast<std::size_t>(category)]; }
  bool operator==(const RecordedCategories&) const = default;

 private:
  std::bitset<kCategoryCount> set_;
};

// Returns whether the eligibility of any op of the range is known. Without it, a missing eligible
// op means nothing.
bool tells_eligibility(const profile::Profile& profile, const Aggregation& aggregation);

// The Tensor Core efficiency of the kernels with known use, of ops with known eligibility. Sums of
// kernel times. A DLProf database knows all: the efficiency is
// Aggregation::tensor_core_efficiency().
struct KnownEfficiency {
  int64_t tensor_core_ns = 0;  // of kernels that use Tensor Cores
  int64_t eligible_ns = 0;     // of ops that are eligible or use them, without unknown_use_ns
  // What the efficiency excludes: ops that use no Tensor Cores and whose eligibility is unknown,
  // and the kernels of unknown use in ops that are eligible or use Tensor Cores.
  int64_t unknown_eligibility_ns = 0, unknown_use_ns = 0;
  int64_t all_ns = 0;  // of all kernels

  double percent() const;  // 0 if no such kernel ran
  bool is_whole() const { return unknown_eligibility_ns + unknown_use_ns == 0; }
  // Whether percent() says something. `knows_eligible`: tells_eligibility() of the range.
  bool is_known(bool knows_eligible) const {
    return eligible_ns > 0 || (knows_eligible && unknown_use_ns == 0);
  }
  // The share of the kernel time that is known; 100 if no kernel ran.
  double known_percent() const;
};
// `unknown_use_ns`: UnknownTensorCoreUse::eligible_gpu_ns().
KnownEfficiency known_efficiency(const profile::Profile& profile, const Aggregation& aggregation,
                                 int64_t unknown_use_ns);

}  // namespace dlview::aggregate
