#include "aggregate/recorded.h"

#include <algorithm>

#include "profile/recorded.h"

namespace dlview::aggregate {

RecordedCategories::RecordedCategories(const profile::Profile& profile,
                                       const Aggregation& aggregation) {
  using profile::Evidence;
  const auto keep_if = [this](Category category, bool recorded) {
    set_[static_cast<std::size_t>(category)] = recorded;
  };
  set_.set();
  const bool gpu_work = profile::tells_of(profile, Evidence::gpu_work);
  keep_if(Category::tensor_core_kernels, gpu_work);
  keep_if(Category::other_kernels, gpu_work);
  keep_if(Category::memory, gpu_work);
  keep_if(Category::data_loader, profile::tells_of(profile, Evidence::ranges));
  keep_if(Category::io, aggregation.io_recorded);
}

bool tells_eligibility(const profile::Profile& profile, const Aggregation& aggregation) {
  return aggregation.ops.empty() ||
         std::ranges::any_of(aggregation.ops, [&](const OpAggregate& op) {
           return profile::tells_eligibility(profile, op.op);
         });
}

}  // namespace dlview::aggregate
