#include "aggregate/reference/summaries.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace dlview::aggregate::reference {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::OpIndex;
using profile::Profile;

std::vector<KernelIndex> kernels_of(const Profile& profile, const Kept& kept,
                                    const std::vector<InstanceInRange>& instances) {
  std::vector<KernelIndex> kernels;
  for (const auto& [instance, iteration] : instances) {
    for (KernelIndex i = profile.instances.first_kernel[instance];
         i < profile.instances.first_kernel[instance + 1]; ++i) {
      if (kept.kernel(i)) kernels.push_back(i);
    }
  }
  return kernels;
}

int64_t gpu_ns(const Profile& profile, KernelIndex kernel) {
  return profile.kernels.gpu_stop_ns[kernel] - profile.kernels.gpu_start_ns[kernel];
}

int64_t api_ns(const Profile& profile, KernelIndex kernel) {
  return profile.kernels.api_stop_ns[kernel] - profile.kernels.api_start_ns[kernel];
}

bool is_eligible(const Profile& profile, OpIndex op) {
  return profile.ops.tensor_core_support[op] == profile::TensorCoreSupport::eligible;
}

void add_op(CategorySummary& summary, const OpAggregate& op) {
  summary.cpu_ns += op.times.cpu.sum;
  summary.gpu_ns += op.times.gpu.sum;
  summary.overhead_ns += op.times.overhead.sum;
  summary.idle_ns += op.times.idle.sum;
  ++summary.count;
}

// Sums of the kernels that `counts` says yes to, and how many names they have.
template <typename Predicate>
CategorySummary sum_of_kernels(const Profile& profile, const std::vector<KernelIndex>& kernels,
                               Predicate counts) {
  CategorySummary summary;
  std::set<profile::StringId> names;
  for (const KernelIndex kernel : kernels) {
    if (!counts(kernel)) continue;
    summary.cpu_ns += api_ns(profile, kernel);
    summary.gpu_ns += gpu_ns(profile, kernel);
    names.insert(profile.kernels.name[kernel]);
  }
  summary.count = static_cast<int64_t>(names.size());
  return summary;
}

}  // namespace

KernelTotals kernel_totals(const Profile& profile, const Kept& kept, const Iteration& iteration) {
  KernelTotals totals;
  for (InstanceIndex instance = iteration.first_instance; instance < iteration.last_instance;
       ++instance) {
    for (const KernelIndex kernel : kernels_of(profile, kept, {{instance, 0}})) {
      ++totals.count;
      totals.gpu_ns += gpu_ns(profile, kernel);
      if (profile.kernels.uses_tensor_cores[kernel] == 0) continue;
      ++totals.tensor_core_count;
      totals.tensor_core_gpu_ns += gpu_ns(profile, kernel);
    }
  }
  return totals;
}

std::vector<KernelAggregate> kernel_aggregates(const Profile& profile, const Kept& kept,
                                               const std::vector<InstanceInRange>& instances) {
  std::map<std::pair<OpIndex, std::string_view>, KernelAggregate> pairs;
  for (const KernelIndex kernel : kernels_of(profile, kept, instances)) {
    const OpIndex op = profile.instances.op[profile.kernels.instance[kernel]];
    const profile::StringId name = profile.kernels.name[kernel];
    KernelAggregate& pair = pairs[{op, profile.text(name)}];
    pair.op = op;
    pair.name = name;
    pair.gpu.add(gpu_ns(profile, kernel));
    pair.api.add(api_ns(profile, kernel));
    if (profile.kernels.uses_tensor_cores[kernel] != 0) pair.uses_tensor_cores = true;
  }
  std::vector<KernelAggregate> result;
  for (const auto& [key, pair] : pairs) result.push_back(pair);
  return result;
}

std::vector<int64_t> kernel_counts(const Profile& profile, const Kept& kept,
                                   const std::vector<InstanceInRange>& instances) {
  std::vector<int64_t> counts(profile.devices.size(), 0);
  for (const KernelIndex kernel : kernels_of(profile, kept, instances)) {
    ++counts[profile.device_of_kernel(kernel)];
  }
  return counts;
}

void summarize_ops(const Profile& profile, Aggregation& result) {
  for (const OpAggregate& op : result.ops) {
    const bool uses = op.uses_tensor_cores();
    const bool eligible = is_eligible(profile, op.op);
    add_op(result.all_ops, op);
    add_op(uses ? result.tensor_core_ops : eligible ? result.eligible_ops : result.other_ops, op);
    result.tensor_core_kernel_ns += op.tensor_core_gpu_ns;
    if (eligible || uses) result.eligible_kernel_ns += op.kernel_gpu.sum;
  }
}

void summarize_kernels(const Profile& profile, const Kept& kept,
                       const std::vector<InstanceInRange>& instances, Aggregation& result) {
  const std::vector<KernelIndex> kernels = kernels_of(profile, kept, instances);
  const auto uses = [&profile](KernelIndex kernel) {
    return profile.kernels.uses_tensor_cores[kernel] != 0;
  };
  result.kernel_launches = static_cast<int64_t>(kernels.size());
  result.all_kernels = sum_of_kernels(profile, kernels, [](KernelIndex) { return true; });
  result.tensor_core_kernels = sum_of_kernels(profile, kernels, uses);
  result.other_kernels =
      sum_of_kernels(profile, kernels, [&uses](KernelIndex kernel) { return !uses(kernel); });
}

void summarize_memory(const Profile& profile, const Kept& kept,
                      const std::vector<InstanceInRange>& instances, Aggregation& result) {
  const auto& memory_ops = profile.memory_ops;
  std::set<profile::StringId> names;
  for (const auto& [instance, iteration] : instances) {
    for (MemoryOpIndex i = profile.instances.first_memory_op[instance];
         i < profile.instances.first_memory_op[instance + 1]; ++i) {
      if (!kept.memory_op(i)) continue;
      ++result.memory_op_count;
      result.memory.cpu_ns += memory_ops.api_stop_ns[i] - memory_ops.api_start_ns[i];
      result.memory.gpu_ns += memory_ops.gpu_stop_ns[i] - memory_ops.gpu_start_ns[i];
      names.insert(memory_ops.name[i]);
    }
  }
  result.memory.count = static_cast<int64_t>(names.size());
}

}  // namespace dlview::aggregate::reference
