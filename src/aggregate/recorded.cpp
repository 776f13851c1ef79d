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
  keep_if(Category::data_loader, profile::tells_of(profile, Evidence::data_loader));
  keep_if(Category::io, aggregation.io_recorded);
}

bool tells_eligibility(const profile::Profile& profile, const Aggregation& aggregation) {
  return aggregation.ops.empty() ||
         std::ranges::any_of(aggregation.ops, [&](const OpAggregate& op) {
           return profile::tells_eligibility(profile, op.op);
         });
}

int64_t untold_kernel_ns(const profile::Profile& profile, const Aggregation& aggregation) {
  int64_t total_ns = 0;
  for (const OpAggregate& op : aggregation.ops) {
    if (op.uses_tensor_cores() || profile::tells_eligibility(profile, op.op)) continue;
    total_ns += op.kernel_gpu.sum;
  }
  return total_ns;
}

double told_kernel_percent(const profile::Profile& profile, const Aggregation& aggregation) {
  const int64_t all_ns = aggregation.all_kernels.gpu_ns;
  if (all_ns == 0) return 100;
  const int64_t told_ns = all_ns - untold_kernel_ns(profile, aggregation);
  return 100 * static_cast<double>(told_ns) / static_cast<double>(all_ns);
}

}  // namespace dlview::aggregate
