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

double KnownEfficiency::percent() const {
  if (eligible_ns == 0) return 0;
  return 100 * static_cast<double>(tensor_core_ns) / static_cast<double>(eligible_ns);
}

double KnownEfficiency::known_percent() const {
  if (all_ns == 0) return 100;
  const int64_t known_ns = all_ns - unknown_eligibility_ns - unknown_use_ns;
  return 100 * static_cast<double>(known_ns) / static_cast<double>(all_ns);
}

KnownEfficiency known_efficiency(const profile::Profile& profile, const Aggregation& aggregation,
                                 int64_t unknown_use_ns) {
  KnownEfficiency known{.tensor_core_ns = aggregation.tensor_core_kernel_ns,
                        .eligible_ns = aggregation.eligible_kernel_ns - unknown_use_ns,
                        .unknown_use_ns = unknown_use_ns,
                        .all_ns = aggregation.all_kernels.gpu_ns};
  for (const OpAggregate& op : aggregation.ops) {
    if (op.uses_tensor_cores() || profile::tells_eligibility(profile, op.op)) continue;
    known.unknown_eligibility_ns += op.kernel_gpu.sum;
  }
  return known;
}

}  // namespace dlview::aggregate
