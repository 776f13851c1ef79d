#include "aggregate/iteration_ops.h"

#include <algorithm>

namespace dlview::aggregate {
namespace {

using profile::Profile;
using profile::Row;

OpKernels single_kernel(const Profile& profile, Row kernel) {
  const auto& kernels = profile.kernels;
  const int64_t gpu_ns = kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel];
  const bool tensor_core = kernels.uses_tensor_cores[kernel] != 0;
  return {profile.instances.op[kernels.instance[kernel]],
          {1, tensor_core ? 1 : 0, gpu_ns, tensor_core ? gpu_ns : 0}};
}

}  // namespace

KernelRows kernels_of(const Profile& profile, const Iteration& iteration) {
  const auto& first_kernel = profile.instances.first_kernel;
  return {first_kernel[iteration.first_instance], first_kernel[iteration.last_instance]};
}

std::vector<OpKernels> kernels_by_op(const Profile& profile, const Iteration& iteration,
                                     const RowFilter* filter) {
  const KernelRows rows = kernels_of(profile, iteration);
  std::vector<OpKernels> singles;
  singles.reserve(rows.last - rows.first);
  for (Row k = rows.first; k < rows.last; ++k) {
    if (filter == nullptr || filter->counts_kernel(k)) singles.push_back(single_kernel(profile, k));
  }
  std::sort(singles.begin(), singles.end(),
            [](const OpKernels& a, const OpKernels& b) { return a.op < b.op; });
  std::vector<OpKernels> by_op;
  for (const OpKernels& single : singles) {
    if (by_op.empty() || by_op.back().op != single.op) by_op.push_back({single.op, {}});
    by_op.back().totals += single.totals;
  }
  return by_op;
}

}  // namespace dlview::aggregate
