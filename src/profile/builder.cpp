#include "profile/builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dlview::profile {
namespace {

// One column out of a vector of rows.
template <typename RowType, typename T>
Column<T> pluck(const std::vector<RowType>& rows, T RowType::*field) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const RowType& row : rows) values.push_back(row.*field);
  return values;
}

// Events grouped by instance (already renumbered), inside an instance by (time, source id), and the
// offsets of the groups.
template <typename EventRow>
Column<Row> group_by_instance(std::vector<EventRow>& events, const std::vector<Row>& new_instance,
                              int64_t EventRow::*time) {
  std::vector<Row> first(new_instance.size() + 1, 0);
  for (EventRow& event : events) {
    event.instance = new_instance[event.instance];
    ++first[event.instance + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  const auto order = [time](const EventRow& a, const EventRow& b) {
    return std::tuple(a.instance, a.*time, a.source_id) <
           std::tuple(b.instance, b.*time, b.source_id);
  };
  if (!std::is_sorted(events.begin(), events.end(), order)) {
    std::sort(events.begin(), events.end(), order);
  }
  return first;
}

}  // namespace

Row ProfileBuilder::add_op(const OpRow& op) {
  ops_.push_back(op);
  return static_cast<Row>(ops_.size() - 1);
}

Row ProfileBuilder::add_instance(const OpInstanceRow& instance) {
  instances_.push_back(instance);
  return static_cast<Row>(instances_.size() - 1);
}

Row ProfileBuilder::intern_launch(const LaunchRow& launch) {
  const LaunchKey key{launch.grid.x,  launch.grid.y,  launch.grid.z, launch.block.x,
                      launch.block.y, launch.block.z, launch.device, launch.thread};
  const auto [entry, added] = launch_rows_.emplace(key, static_cast<Row>(launches_.size()));
  if (added) launches_.push_back(launch);
  return entry->second;
}

Row ProfileBuilder::intern_thread(const Thread& thread) {
  const auto [entry, added] = thread_rows_.emplace(std::pair(thread.process_id, thread.thread_id),
                                                   static_cast<Row>(threads_.size()));
  if (added) threads_.push_back(thread);
  return entry->second;
}

Row ProfileBuilder::add_device(Device device) {
  devices_.push_back(std::move(device));
  return static_cast<Row>(devices_.size() - 1);
}

Profile ProfileBuilder::finish() && {
  std::vector<Row> order(instances_.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::sort(order.begin(), order.end(), [this](Row a, Row b) {
    const OpInstanceRow &x = instances_[a], &y = instances_[b];
    return std::tuple(x.cpu_start_ns, x.source_id, a) < std::tuple(y.cpu_start_ns, y.source_id, b);
  });
  std::vector<Row> new_instance(instances_.size());
  std::vector<OpInstanceRow> instances;
  instances.reserve(instances_.size());
  for (const Row old : order) {
    new_instance[old] = static_cast<Row>(instances.size());
    instances.push_back(instances_[old]);
  }

  Profile p;
  p.instances.first_kernel = group_by_instance(kernels_, new_instance, &KernelRow::gpu_start_ns);
  p.instances.first_memory_op =
      group_by_instance(memory_ops_, new_instance, &MemoryOpRow::gpu_start_ns);
  p.instances.first_sync = group_by_instance(syncs_, new_instance, &SyncRow::api_start_ns);
  p.instances.first_api_call =
      group_by_instance(api_calls_, new_instance, &ApiCallRow::api_start_ns);

  for (const OpInstanceRow& row : instances) p.last_ns = std::max(p.last_ns, row.cpu_stop_ns);
  for (const KernelRow& row : kernels_) p.last_ns = std::max(p.last_ns, row.gpu_stop_ns);
  for (const MemoryOpRow& row : memory_ops_) p.last_ns = std::max(p.last_ns, row.gpu_stop_ns);

  p.ops = {pluck(ops_, &OpRow::id),
           pluck(ops_, &OpRow::name),
           pluck(ops_, &OpRow::type),
           pluck(ops_, &OpRow::direction),
           pluck(ops_, &OpRow::data_type),
           pluck(ops_, &OpRow::data_format),
           pluck(ops_, &OpRow::output_format),
           pluck(ops_, &OpRow::parameters_format),
           pluck(ops_, &OpRow::stack_trace),
           pluck(ops_, &OpRow::tensor_core_support),
           pluck(ops_, &OpRow::source_id)};

  p.instances.op = pluck(instances, &OpInstanceRow::op);
  p.instances.cpu_start_ns = pluck(instances, &OpInstanceRow::cpu_start_ns);
  p.instances.cpu_stop_ns = pluck(instances, &OpInstanceRow::cpu_stop_ns);
  p.instances.thread = pluck(instances, &OpInstanceRow::thread);
  p.instances.input_names = pluck(instances, &OpInstanceRow::input_names);
  p.instances.input_shapes = pluck(instances, &OpInstanceRow::input_shapes);
  p.instances.output_names = pluck(instances, &OpInstanceRow::output_names);
  p.instances.output_shapes = pluck(instances, &OpInstanceRow::output_shapes);
  p.instances.parameters = pluck(instances, &OpInstanceRow::parameters);
  p.instances.source_id = pluck(instances, &OpInstanceRow::source_id);

  p.kernels.instance = pluck(kernels_, &KernelRow::instance);
  p.kernels.name = pluck(kernels_, &KernelRow::name);
  p.kernels.long_name = pluck(kernels_, &KernelRow::long_name);
  std::vector<uint8_t> uses_tensor_cores;
  uses_tensor_cores.reserve(kernels_.size());
  for (const KernelRow& row : kernels_) uses_tensor_cores.push_back(row.uses_tensor_cores ? 1 : 0);
  p.kernels.uses_tensor_cores = std::move(uses_tensor_cores);
  p.kernels.api_start_ns = pluck(kernels_, &KernelRow::api_start_ns);
  p.kernels.api_stop_ns = pluck(kernels_, &KernelRow::api_stop_ns);
  p.kernels.gpu_start_ns = pluck(kernels_, &KernelRow::gpu_start_ns);
  p.kernels.gpu_stop_ns = pluck(kernels_, &KernelRow::gpu_stop_ns);
  p.kernels.launch = pluck(kernels_, &KernelRow::launch);
  p.kernels.source_id = pluck(kernels_, &KernelRow::source_id);

  p.launches = {pluck(launches_, &LaunchRow::grid), pluck(launches_, &LaunchRow::block),
                pluck(launches_, &LaunchRow::device), pluck(launches_, &LaunchRow::thread)};

  p.memory_ops = {
      pluck(memory_ops_, &MemoryOpRow::instance),    pluck(memory_ops_, &MemoryOpRow::kind),
      pluck(memory_ops_, &MemoryOpRow::name),        pluck(memory_ops_, &MemoryOpRow::copy_kind),
      pluck(memory_ops_, &MemoryOpRow::bytes),       pluck(memory_ops_, &MemoryOpRow::api_start_ns),
      pluck(memory_ops_, &MemoryOpRow::api_stop_ns), pluck(memory_ops_, &MemoryOpRow::gpu_start_ns),
      pluck(memory_ops_, &MemoryOpRow::gpu_stop_ns), pluck(memory_ops_, &MemoryOpRow::device),
      pluck(memory_ops_, &MemoryOpRow::thread),      pluck(memory_ops_, &MemoryOpRow::source_id)};

  p.syncs = {pluck(syncs_, &SyncRow::instance),     pluck(syncs_, &SyncRow::name),
             pluck(syncs_, &SyncRow::api_start_ns), pluck(syncs_, &SyncRow::api_stop_ns),
             pluck(syncs_, &SyncRow::sync_type),    pluck(syncs_, &SyncRow::event_id),
             pluck(syncs_, &SyncRow::device_id),    pluck(syncs_, &SyncRow::thread),
             pluck(syncs_, &SyncRow::source_id)};

  p.api_calls = {
      pluck(api_calls_, &ApiCallRow::instance),     pluck(api_calls_, &ApiCallRow::name),
      pluck(api_calls_, &ApiCallRow::api_start_ns), pluck(api_calls_, &ApiCallRow::api_stop_ns),
      pluck(api_calls_, &ApiCallRow::thread),       pluck(api_calls_, &ApiCallRow::source_id)};

  std::stable_sort(user_ranges_.begin(), user_ranges_.end(),
                   [](const UserRangeRow& a, const UserRangeRow& b) {
                     return std::tuple(a.start_ns, -a.stop_ns) < std::tuple(b.start_ns, -b.stop_ns);
                   });
  p.user_ranges = {
      pluck(user_ranges_, &UserRangeRow::name),     pluck(user_ranges_, &UserRangeRow::path),
      pluck(user_ranges_, &UserRangeRow::start_ns), pluck(user_ranges_, &UserRangeRow::stop_ns),
      pluck(user_ranges_, &UserRangeRow::number),   pluck(user_ranges_, &UserRangeRow::thread)};

  p.source = std::move(source);
  p.strings = std::move(strings_).finish();
  p.threads = std::move(threads_);
  p.devices = std::move(devices_);
  p.system = std::move(system);
  p.stored_aggregations = std::move(stored_aggregations);
  p.quality = std::move(quality);
  p.not_recorded = std::move(not_recorded);
  return p;
}

}  // namespace dlview::profile
