#include "profile/builder.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/parallel.h"

namespace dlview::profile {
namespace {

constexpr std::size_t kBlock = 4096;  // rows that stay in the cache while columns are taken

template <typename RowType, typename Field>
using FieldType = std::remove_cvref_t<std::invoke_result_t<Field, const RowType&>>;

// Columns out of a vector of rows, which is given back: `fields` of all rows in the order of
// `order`, in their own where it is empty.
template <typename RowType, typename... Field>
std::tuple<Column<FieldType<RowType, Field>>...> take_columns(std::vector<RowType>& rows,
                                                              const std::vector<Row>& order,
                                                              Field... fields) {
  std::tuple<std::vector<FieldType<RowType, Field>>...> values{
      std::vector<FieldType<RowType, Field>>(rows.size())...};
  base::parallel_for(rows.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    const auto fill = [&](auto& column, const auto& field, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        column[i] = std::invoke(field, rows[order.empty() ? i : order[i]]);
      }
    };
    for (std::size_t from = begin; from < end; from += kBlock) {
      const std::size_t to = std::min(from + kBlock, end);
      std::apply([&](auto&... column) { (fill(column, fields, from, to), ...); }, values);
    }
  });
  rows = {};
  return std::apply(
      [](auto&... column) {
        return std::tuple<Column<FieldType<RowType, Field>>...>(std::move(column)...);
      },
      values);
}

// The order of events by instance, inside an instance by (time, source id), and the offsets of the
// instances. Renumbers the instances.
template <typename EventRow>
std::vector<Row> group_by_instance(std::vector<EventRow>& events,
                                   const std::vector<Row>& new_instance, int64_t EventRow::*time,
                                   Column<Row>& first_of_instance) {
  std::vector<Row> first(new_instance.size() + 1, 0);
  for (EventRow& event : events) {
    event.instance = new_instance[event.instance];
    ++first[event.instance + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Row> next = first, order(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    order[next[events[i].instance]++] = static_cast<Row>(i);
  }
  const auto comes_before = [&events, time](Row a, Row b) {
    const EventRow &x = events[a], &y = events[b];
    return x.*time != y.*time ? x.*time < y.*time : x.source_id < y.source_id;
  };
  base::parallel_for(new_instance.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto from = order.begin() + first[i], to = order.begin() + first[i + 1];
      if (!std::is_sorted(from, to, comes_before)) std::sort(from, to, comes_before);
    }
  });
  first_of_instance = std::move(first);
  return order;
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
  const auto starts_before = [this](Row a, Row b) {
    const OpInstanceRow &x = instances_[a], &y = instances_[b];
    return std::tuple(x.cpu_start_ns, x.source_id, a) < std::tuple(y.cpu_start_ns, y.source_id, b);
  };
  if (!std::is_sorted(order.begin(), order.end(), starts_before)) {
    std::sort(order.begin(), order.end(), starts_before);
  }
  std::vector<Row> new_instance(instances_.size());
  for (std::size_t i = 0; i < order.size(); ++i) new_instance[order[i]] = static_cast<Row>(i);

  Profile p;
  for (const OpInstanceRow& row : instances_) p.last_ns = std::max(p.last_ns, row.cpu_stop_ns);
  for (const KernelRow& row : kernels_) p.last_ns = std::max(p.last_ns, row.gpu_stop_ns);
  for (const MemoryOpRow& row : memory_ops_) p.last_ns = std::max(p.last_ns, row.gpu_stop_ns);

  OpInstances& instances = p.instances;
  std::tie(instances.op, instances.cpu_start_ns, instances.cpu_stop_ns, instances.thread,
           instances.input_names, instances.input_shapes, instances.output_names,
           instances.output_shapes, instances.parameters, instances.source_id) =
      take_columns(instances_, order, &OpInstanceRow::op, &OpInstanceRow::cpu_start_ns,
                   &OpInstanceRow::cpu_stop_ns, &OpInstanceRow::thread, &OpInstanceRow::input_names,
                   &OpInstanceRow::input_shapes, &OpInstanceRow::output_names,
                   &OpInstanceRow::output_shapes, &OpInstanceRow::parameters,
                   &OpInstanceRow::source_id);

  order =
      group_by_instance(kernels_, new_instance, &KernelRow::gpu_start_ns, instances.first_kernel);
  Kernels& kernels = p.kernels;
  std::tie(kernels.instance, kernels.name, kernels.long_name, kernels.uses_tensor_cores,
           kernels.api_start_ns, kernels.api_stop_ns, kernels.gpu_start_ns, kernels.gpu_stop_ns,
           kernels.launch, kernels.source_id) =
      take_columns(
          kernels_, order, &KernelRow::instance, &KernelRow::name, &KernelRow::long_name,
          [](const KernelRow& row) { return uint8_t{row.uses_tensor_cores}; },
          &KernelRow::api_start_ns, &KernelRow::api_stop_ns, &KernelRow::gpu_start_ns,
          &KernelRow::gpu_stop_ns, &KernelRow::launch, &KernelRow::source_id);

  order = group_by_instance(memory_ops_, new_instance, &MemoryOpRow::gpu_start_ns,
                            instances.first_memory_op);
  MemoryOps& memory_ops = p.memory_ops;
  std::tie(memory_ops.instance, memory_ops.kind, memory_ops.name, memory_ops.copy_kind,
           memory_ops.bytes, memory_ops.api_start_ns, memory_ops.api_stop_ns,
           memory_ops.gpu_start_ns, memory_ops.gpu_stop_ns, memory_ops.device, memory_ops.thread,
           memory_ops.source_id) =
      take_columns(memory_ops_, order, &MemoryOpRow::instance, &MemoryOpRow::kind,
                   &MemoryOpRow::name, &MemoryOpRow::copy_kind, &MemoryOpRow::bytes,
                   &MemoryOpRow::api_start_ns, &MemoryOpRow::api_stop_ns,
                   &MemoryOpRow::gpu_start_ns, &MemoryOpRow::gpu_stop_ns, &MemoryOpRow::device,
                   &MemoryOpRow::thread, &MemoryOpRow::source_id);

  order = group_by_instance(syncs_, new_instance, &SyncRow::api_start_ns, instances.first_sync);
  Syncs& syncs = p.syncs;
  std::tie(syncs.instance, syncs.name, syncs.api_start_ns, syncs.api_stop_ns, syncs.sync_type,
           syncs.event_id, syncs.device_id, syncs.thread, syncs.source_id) =
      take_columns(syncs_, order, &SyncRow::instance, &SyncRow::name, &SyncRow::api_start_ns,
                   &SyncRow::api_stop_ns, &SyncRow::sync_type, &SyncRow::event_id,
                   &SyncRow::device_id, &SyncRow::thread, &SyncRow::source_id);

  order = group_by_instance(api_calls_, new_instance, &ApiCallRow::api_start_ns,
                            instances.first_api_call);
  ApiCalls& calls = p.api_calls;
  std::tie(calls.instance, calls.name, calls.api_start_ns, calls.api_stop_ns, calls.thread,
           calls.source_id) =
      take_columns(api_calls_, order, &ApiCallRow::instance, &ApiCallRow::name,
                   &ApiCallRow::api_start_ns, &ApiCallRow::api_stop_ns, &ApiCallRow::thread,
                   &ApiCallRow::source_id);

  Ops& ops = p.ops;
  std::tie(ops.id, ops.name, ops.type, ops.direction, ops.data_type, ops.data_format,
           ops.output_format, ops.parameters_format, ops.stack_trace, ops.tensor_core_support,
           ops.source_id) =
      take_columns(ops_, {}, &OpRow::id, &OpRow::name, &OpRow::type, &OpRow::direction,
                   &OpRow::data_type, &OpRow::data_format, &OpRow::output_format,
                   &OpRow::parameters_format, &OpRow::stack_trace, &OpRow::tensor_core_support,
                   &OpRow::source_id);

  Launches& launches = p.launches;
  std::tie(launches.grid, launches.block, launches.device, launches.thread) = take_columns(
      launches_, {}, &LaunchRow::grid, &LaunchRow::block, &LaunchRow::device, &LaunchRow::thread);

  std::stable_sort(user_ranges_.begin(), user_ranges_.end(),
                   [](const UserRangeRow& a, const UserRangeRow& b) {
                     return std::tuple(a.start_ns, -a.stop_ns) < std::tuple(b.start_ns, -b.stop_ns);
                   });
  UserRanges& ranges = p.user_ranges;
  std::tie(ranges.name, ranges.path, ranges.start_ns, ranges.stop_ns, ranges.number,
           ranges.thread) = take_columns(user_ranges_, {}, &UserRangeRow::name, &UserRangeRow::path,
                                         &UserRangeRow::start_ns, &UserRangeRow::stop_ns,
                                         &UserRangeRow::number, &UserRangeRow::thread);

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
