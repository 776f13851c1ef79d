#include "aggregate/kernels_by_name.h"

#include <algorithm>
#include <unordered_map>

#include "aggregate/find_op.h"

namespace dlview::aggregate {
namespace {

// counts(kernel): whether a KernelAggregate does.
template <typename Counts>
std::vector<NamedKernels> sum_by_name(const Aggregation& aggregation, const Counts& counts) {
  std::unordered_map<profile::StringId, NamedKernels> totals;
  for (const KernelAggregate& kernel : aggregation.kernels) {
    if (!counts(kernel)) continue;
    NamedKernels& total = totals[kernel.name];
    total.name = kernel.name;
    total.gpu.merge(kernel.gpu);
    ++total.op_count;
    total.uses_tensor_cores |= kernel.uses_tensor_cores;
  }
  std::vector<NamedKernels> rows;
  for (const auto& [name, total] : totals) rows.push_back(total);
  std::sort(rows.begin(), rows.end(), [](const NamedKernels& a, const NamedKernels& b) {
    return a.gpu.sum != b.gpu.sum ? a.gpu.sum > b.gpu.sum : a.name < b.name;
  });
  return rows;
}

}  // namespace

std::vector<NamedKernels> kernels_by_name(const Aggregation& aggregation) {
  return sum_by_name(aggregation, [](const KernelAggregate&) { return true; });
}

std::vector<NamedKernels> kernels_without_tensor_cores(const profile::Profile& profile,
                                                       const Aggregation& aggregation) {
  return sum_by_name(aggregation, [&](const KernelAggregate& kernel) {
    if (kernel.uses_tensor_cores) return false;
    const OpAggregate* op = find_op(aggregation, kernel.op);
    return profile.is_eligible(kernel.op) || (op != nullptr && op->uses_tensor_cores());
  });
}

}  // namespace dlview::aggregate
