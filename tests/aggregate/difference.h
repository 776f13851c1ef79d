// Where two aggregations differ, for tests that compare engines.
#pragma once

#include <string>

#include "aggregate/aggregation.h"

namespace dlview::aggregate {

// Names the first part that differs, so that a failure says more than "not equal".
inline std::string first_difference(const Aggregation& a, const Aggregation& b) {
  const auto differ = [](const auto& x, const auto& y) { return !(x == y); };
  if (differ(a.selection, b.selection)) return "selection";
  if (differ(a.iteration_table->iterations, b.iteration_table->iterations)) return "iterations";
  if (differ(a.iteration_table->facts, b.iteration_table->facts)) return "iteration facts";
  if (differ(a.iteration_table->outside, b.iteration_table->outside)) return "outside";
  if (a.iteration_table->by_duration != b.iteration_table->by_duration) return "order by duration";
  if (a.range_ns != b.range_ns || a.wall_ns != b.wall_ns) return "range or wall time";
  if (differ(a.ops, b.ops)) return "ops";
  if (differ(a.op_types, b.op_types)) return "op types";
  if (differ(a.groups, b.groups)) return "groups";
  if (differ(a.kernels, b.kernels)) return "kernels";
  if (differ(a.model_times, b.model_times)) return "model times";
  if (differ(a.devices, b.devices)) return "devices";
  if (differ(a.breakdown, b.breakdown)) return "breakdown";
  if (differ(a.communication, b.communication)) return "communication";
  if (a.iteration_table->has_communication != b.iteration_table->has_communication) {
    return "whether there is communication";
  }
  if (differ(a.all_kernels, b.all_kernels) || differ(a.other_kernels, b.other_kernels) ||
      differ(a.tensor_core_kernels, b.tensor_core_kernels) || differ(a.memory, b.memory)) {
    return "kernel classes";
  }
  if (differ(a.all_ops, b.all_ops) || differ(a.eligible_ops, b.eligible_ops) ||
      differ(a.tensor_core_ops, b.tensor_core_ops) || differ(a.other_ops, b.other_ops)) {
    return "op classes";
  }
  if (differ(a.advice, b.advice)) return "advice";
  return a == b ? "" : "something else";
}

}  // namespace dlview::aggregate
