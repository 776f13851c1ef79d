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

// Returns the kernel time (sum) of ops that use no Tensor Cores and whose eligibility is unknown.
// The Tensor Core efficiency excludes it.
int64_t untold_kernel_ns(const profile::Profile& profile, const Aggregation& aggregation);
// Returns the share of kernel time with known eligibility; 100 if no kernel ran.
double told_kernel_percent(const profile::Profile& profile, const Aggregation& aggregation);

}  // namespace dlview::aggregate
