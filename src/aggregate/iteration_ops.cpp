#include "aggregate/iteration_ops.h"

#include <algorithm>
#include <unordered_map>

namespace dlview::aggregate {
namespace {

using profile::Profile;
using profile::Row;

KernelTotals totals_of(const Profile& profile, Row kernel) {
  const auto& kernels = profile.kernels;
  const int64_t gpu_ns = kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel];
  const bool tensor_core = kernels.uses_tensor_cores[kernel] != 0;
  return {1, tensor_core ? 1 : 0, gpu_ns, tensor_core ? gpu_ns : 0};
}

}  // namespace

KernelRows kernels_of(const Profile& profile, const Iteration& iteration) {
  const auto& first_kernel = profile.instances.first_kernel;
  return {first_kernel[iteration.first_instance], first_kernel[iteration.last_instance]};
}

std::vector<OpKernels> kernels_by_op(const Profile& profile, const Iteration& iteration,
                                     const RowFilter* filter) {
  const auto& instances = profile.instances;
  std::unordered_map<Row, KernelTotals> totals;
  for (Row i = iteration.first_instance; i < iteration.last_instance; ++i) {
    KernelTotals of_instance;
    for (Row k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      if (filter == nullptr || filter->counts_kernel(k)) of_instance += totals_of(profile, k);
    }
    if (of_instance.count > 0) totals[instances.op[i]] += of_instance;
  }
  std::vector<OpKernels> by_op;
  by_op.reserve(totals.size());
  for (const auto& [op, kernels] : totals) by_op.push_back({op, kernels});
  std::ranges::sort(by_op, {}, &OpKernels::op);
  return by_op;
}

}  // namespace dlview::aggregate
