// Fields of structs that base::with_fields() cannot decompose, or not as a stored answer needs
// them.
#pragma once

#include <tuple>

#include "aggregate/aggregation.h"
#include "base/fields.h"

namespace dlview::aggregate {

template <typename Use>
void with_fields(const Breakdown& breakdown, Use&& use) {
  std::apply(use, breakdown.ns);
}
template <typename Use>
void with_fields(Breakdown& breakdown, Use&& use) {
  std::apply(use, breakdown.ns);
}

// But for what it shares: the tables of iterations and groups, the aggregation without filters.
template <typename All, typename Use>
void with_own_fields(All& aggregation, Use&& use) {
  auto& [selection, table, tree, range, wall, ops, op_types, groups, kernels, devices, breakdown,
         communication, io_recorded, model_times, all_ops, eligible_ops, tensor_core_ops, other_ops,
         all_kernels, tensor_core_kernels, other_kernels, memory, launches, memory_ops,
         tensor_core_kernel_ns, eligible_kernel_ns, advice, unfiltered] = aggregation;
  use(selection, range, wall, ops, op_types, groups, kernels, devices, breakdown, communication,
      io_recorded, model_times, all_ops, eligible_ops, tensor_core_ops, other_ops, all_kernels,
      tensor_core_kernels, other_kernels, memory, launches, memory_ops, tensor_core_kernel_ns,
      eligible_kernel_ns, advice);
}
template <typename Use>
void with_fields(const Aggregation& aggregation, Use&& use) {
  with_own_fields(aggregation, use);
}
template <typename Use>
void with_fields(Aggregation& aggregation, Use&& use) {
  with_own_fields(aggregation, use);
}

}  // namespace dlview::aggregate
