// Adds a single kernel to KernelTotals.
#pragma once

#include <cstdint>

#include "aggregate/aggregation.h"

namespace dlview::aggregate {

inline KernelTotals totals_of_kernel(int64_t gpu_ns, bool uses_tensor_cores) {
  const int64_t tensor_core = uses_tensor_cores ? 1 : 0;
  return {1, tensor_core, gpu_ns, gpu_ns & -tensor_core};
}

}  // namespace dlview::aggregate
