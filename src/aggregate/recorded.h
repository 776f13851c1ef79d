// What of an aggregation was recorded at all: figures that were not are no zeros.
#pragma once

#include <bitset>
#include <cstdint>

#include "aggregate/aggregation.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The categories of the breakdown that the profile tells of, by their numbers.
class RecordedCategories {
 public:
  RecordedCategories(const profile::Profile& profile, const Aggregation& aggregation);
  bool contains(Category category) const { return set_[static_cast<std::size_t>(category)]; }
  bool operator==(const RecordedCategories&) const = default;

 private:
  std::bitset<kCategoryCount> set_;
};

// Whether any op of the range tells if it could use Tensor Cores; else that no eligible op ran
// means nothing.
bool tells_eligibility(const profile::Profile& profile, const Aggregation& aggregation);

// Kernel time (plain sum) of ops that use no Tensor Cores while nothing tells whether they could:
// the Tensor Core efficiency leaves it out.
int64_t untold_kernel_ns(const profile::Profile& profile, const Aggregation& aggregation);
// Of all kernel time, what is not untold; 100 where no kernel ran.
double told_kernel_percent(const profile::Profile& profile, const Aggregation& aggregation);

}  // namespace dlview::aggregate
