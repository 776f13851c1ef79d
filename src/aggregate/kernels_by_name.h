// Kernels of the range by their name, whichever op launched them.
#pragma once

#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/stats.h"

namespace dlview::aggregate {

struct NamedKernels {
  profile::StringId name = 0;
  Stats gpu;                       // of single kernels, ns
  int64_t op_count = 0;            // ops that launch them
  bool uses_tensor_cores = false;  // any of them
  bool operator==(const NamedKernels&) const = default;
};

// Largest GPU time first; ties: the lower string id.
std::vector<NamedKernels> kernels_by_name(const Aggregation& aggregation);

// Returns the kernels without Tensor Cores of ops that are eligible or use them, in the same order:
// the remainder to 100% Tensor Core efficiency. Excludes kernels of an op and name of which some
// use Tensor Cores.
std::vector<NamedKernels> kernels_without_tensor_cores(const profile::Profile& profile,
                                                       const Aggregation& aggregation);

}  // namespace dlview::aggregate
