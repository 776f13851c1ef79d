#include "aggregate/communication_ops.h"

#include <unordered_map>

#include "profile/communication.h"

namespace dlview::aggregate {

std::vector<int64_t> communication_of_ops(const profile::Profile& profile,
                                          const Aggregation& aggregation) {
  if (!aggregation.iteration_table->has_communication) return {};
  std::unordered_map<profile::StringId, bool> names;
  const auto is_communication = [&](profile::StringId name) {
    const auto [known, added] = names.try_emplace(name);
    if (added) known->second = profile::communication_of(profile.text(name)).has_value();
    return known->second;
  };
  std::vector<int64_t> times;
  times.reserve(aggregation.ops.size());
  auto kernel = aggregation.kernels.begin();  // both in order of ops
  for (const OpAggregate& op : aggregation.ops) {
    int64_t& ns = times.emplace_back(0);
    while (kernel != aggregation.kernels.end() && kernel->op < op.op) ++kernel;
    for (; kernel != aggregation.kernels.end() && kernel->op == op.op; ++kernel) {
      if (!kernel->uses_tensor_cores && is_communication(kernel->name)) ns += kernel->gpu.sum;
    }
  }
  return times;
}

bool communicates(const OpAggregate& op, int64_t communication_ns) {
  return 2 * communication_ns > op.kernel_gpu.sum;
}

}  // namespace dlview::aggregate
