#include "aggregate/reference/op_times.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace dlview::aggregate::reference {
namespace {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

using Span = std::pair<int64_t, int64_t>;
using SpansOfDevice = std::map<DeviceIndex, std::vector<Span>>;

SpansOfDevice gpu_spans(const Kept& kept, InstanceIndex instance, const TimeWindow& window) {
  SpansOfDevice spans;
  for (const Kept::Part& part : kept.parts(instance, window)) {
    spans[part.device].emplace_back(part.start_ns, part.stop_ns);
  }
  return spans;
}

int64_t union_ns(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end());
  int64_t covered_ns = 0;
  int64_t reached_ns = spans.front().first;
  for (const auto& [start, stop] : spans) {
    if (stop <= std::max(start, reached_ns)) continue;
    covered_ns += stop - std::max(start, reached_ns);
    reached_ns = stop;
  }
  return covered_ns;
}

// From the first start to the last stop. What ends before it begins takes no time.
int64_t extent_ns(const std::vector<Span>& spans) {
  int64_t first = spans.front().first, last = first;
  for (const auto& [start, stop] : spans) {
    first = std::min(first, start);
    last = std::max({last, start, stop});
  }
  return last - first;
}

template <typename Events>
int64_t api_sum_ns(const Events& events, Row first, Row last) {
  int64_t sum_ns = 0;
  for (Row i = first; i < last; ++i) sum_ns += events.api_stop_ns[i] - events.api_start_ns[i];
  return sum_ns;
}

// All events of one kind that belong to the instance.
template <typename Events>
int64_t api_sum_ns(const Events& events, const profile::Column<Row>& first,
                   InstanceIndex instance) {
  return api_sum_ns(events, first[instance], first[instance + 1]);
}

}  // namespace

InstanceTimes instance_times(const Profile& profile, const Kept& kept, InstanceIndex instance) {
  const auto& instances = profile.instances;
  InstanceTimes times;
  times.cpu = instances.cpu_stop_ns[instance] - instances.cpu_start_ns[instance];
  for (const TimeWindow& window : kept.windows()) {
    for (const auto& [device, spans] : gpu_spans(kept, instance, window)) {
      const int64_t busy_ns = union_ns(spans);
      times.gpu += busy_ns;
      times.idle += extent_ns(spans) - busy_ns;
    }
  }
  times.api = api_sum_ns(profile.kernels, instances.first_kernel, instance) +
              api_sum_ns(profile.memory_ops, instances.first_memory_op, instance) +
              api_sum_ns(profile.syncs, instances.first_sync, instance) +
              api_sum_ns(profile.api_calls, instances.first_api_call, instance);
  times.overhead = times.cpu - times.api;
  return times;
}

std::vector<OpAggregate> op_aggregates(const Profile& profile, const Kept& kept,
                                       const std::vector<InstanceInRange>& instances) {
  std::map<OpIndex, OpAggregate> ops;
  const auto& kernels = profile.kernels;
  for (const auto& [instance, iteration] : instances) {
    const OpIndex row = profile.instances.op[instance];
    OpAggregate& op = ops[row];
    op.op = row;
    op.times.add(instance_times(profile, kept, instance));
    for (KernelIndex i = profile.instances.first_kernel[instance];
         i < profile.instances.first_kernel[instance + 1]; ++i) {
      if (!kept.kernel(i)) continue;
      const int64_t gpu_ns = kernels.gpu_stop_ns[i] - kernels.gpu_start_ns[i];
      op.kernel_gpu.add(gpu_ns);
      op.kernel_api.add(kernels.api_stop_ns[i] - kernels.api_start_ns[i]);
      if (kernels.uses_tensor_cores[i] == 0) continue;
      ++op.tensor_core_kernels;
      op.tensor_core_gpu_ns += gpu_ns;
    }
  }
  std::vector<OpAggregate> result;
  for (const auto& [row, op] : ops) result.push_back(op);
  return result;
}

std::vector<OpTypeAggregate> op_type_aggregates(const Profile& profile, const Kept& kept,
                                                const std::vector<InstanceInRange>& instances) {
  std::map<std::string_view, OpTypeAggregate> types;
  std::map<std::string_view, std::set<OpIndex>> ops_of_type;
  for (const auto& [instance, iteration] : instances) {
    const OpIndex op = profile.instances.op[instance];
    const std::string_view name = profile.text(profile.ops.type[op]);
    OpTypeAggregate& type = types[name];
    type.type = profile.ops.type[op];
    type.times.add(instance_times(profile, kept, instance));
    ops_of_type[name].insert(op);
    type.op_count = static_cast<int64_t>(ops_of_type[name].size());
  }
  std::vector<OpTypeAggregate> result;
  for (const auto& [name, type] : types) result.push_back(type);
  return result;
}

}  // namespace dlview::aggregate::reference
