#include "aggregate/kernels_by_name.h"

#include <algorithm>
#include <unordered_map>

namespace dlview::aggregate {

std::vector<NamedKernels> kernels_by_name(const Aggregation& aggregation) {
  std::unordered_map<profile::StringId, NamedKernels> totals;
  for (const KernelAggregate& kernel : aggregation.kernels) {
    NamedKernels& total = totals[kernel.name];
    total.name = kernel.name;
    total.launches += kernel.gpu.count;
    total.gpu_ns += kernel.gpu.sum;
    total.uses_tensor_cores |= kernel.uses_tensor_cores;
  }
  std::vector<NamedKernels> rows;
  for (const auto& [name, total] : totals) rows.push_back(total);
  std::sort(rows.begin(), rows.end(), [](const NamedKernels& a, const NamedKernels& b) {
    return a.gpu_ns != b.gpu_ns ? a.gpu_ns > b.gpu_ns : a.name < b.name;
  });
  return rows;
}

}  // namespace dlview::aggregate
