// The fields of everything that an answer is made of, for what has to go through all of them. A
// field that is added to one of these types and not here does not compile.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

#include "aggregate/aggregation.h"

namespace dlview::aggregate {

template <typename T, typename Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

}  // namespace dlview::aggregate

namespace dlview::base {  // where it is looked for

template <aggregate::Is<Interval> T, typename Use>
void with_fields(T& interval, Use&& use) {
  auto& [start, stop] = interval;
  use(start, stop);
}

}  // namespace dlview::base

namespace dlview::aggregate {

template <Is<Clock> T, typename Use>
void with_fields(T& clock, Use&& use) {
  auto& [process_id, thread_id] = clock;
  use(process_id, thread_id);
}

template <Is<Cut> T, typename Use>
void with_fields(T& cut, Use&& use) {
  auto& [kind, key_op, stored_index, clock, split_by] = cut;
  use(kind, key_op, stored_index, clock, split_by);
}

template <Is<IterationRange> T, typename Use>
void with_fields(T& range, Use&& use) {
  auto& [first, last] = range;
  use(first, last);
}

template <Is<TimeWindow> T, typename Use>
void with_fields(T& window, Use&& use) {
  auto& [start, stop] = window;
  use(start, stop);
}

template <Is<Filter> T, typename Use>
void with_fields(T& filter, Use&& use) {
  auto& [kind, text, number, window] = filter;
  use(kind, text, number, window);
}

template <Is<Selection> T, typename Use>
void with_fields(T& selection, Use&& use) {
  auto& [cut, range, filters] = selection;
  use(cut, range, filters);
}

template <Is<Iteration> T, typename Use>
void with_fields(T& iteration, Use&& use) {
  auto& [start, stop, first_instance, last_instance, host] = iteration;
  use(start, stop, first_instance, last_instance, host);
}

template <Is<KeyRange> T, typename Use>
void with_fields(T& range, Use&& use) {
  auto& [start, stop, number, on_gpu] = range;
  use(start, stop, number, on_gpu);
}

template <Is<Iterations> T, typename Use>
void with_fields(T& iterations, Use&& use) {
  auto& [rows, key_instances, range_name, ranges, split_by] = iterations;
  use(rows, key_instances, range_name, ranges, split_by);
}

template <Is<OutsidePart> T, typename Use>
void with_fields(T& part, Use&& use) {
  auto& [duration, kernels, kernel_ns] = part;
  use(duration, kernels, kernel_ns);
}

template <Is<Outside> T, typename Use>
void with_fields(T& outside, Use&& use) {
  auto& [before, after, kernels, kernel_ns] = outside;
  use(before, after, kernels, kernel_ns);
}

template <Is<Breakdown> T, typename Use>
void with_fields(T& breakdown, Use&& use) {
  std::apply(use, breakdown.ns);
}

template <Is<CommunicationTime> T, typename Use>
void with_fields(T& time, Use&& use) {
  auto& [ns, exposed_ns] = time;
  use(ns, exposed_ns);
}

template <Is<KernelTotals> T, typename Use>
void with_fields(T& totals, Use&& use) {
  auto& [count, tensor_core_count, gpu, tensor_core_gpu] = totals;
  use(count, tensor_core_count, gpu, tensor_core_gpu);
}

template <Is<IterationFacts> T, typename Use>
void with_fields(T& facts, Use&& use) {
  auto& [device_sum, per_device, kernels, communication_sum, communication_per_device] = facts;
  use(device_sum, per_device, kernels, communication_sum, communication_per_device);
}

template <Is<IterationTable> T, typename Use>
void with_fields(T& table, Use&& use) {
  auto& [iterations, facts, device_count, outside, by_duration, has_communication] = table;
  use(iterations, facts, device_count, outside, by_duration, has_communication);
}

template <Is<Stats> T, typename Use>
void with_fields(T& stats, Use&& use) {
  auto& [count, sum, min, max] = stats;
  use(count, sum, min, max);
}

template <Is<TimeStats> T, typename Use>
void with_fields(T& times, Use&& use) {
  auto& [cpu, gpu, api, overhead, idle] = times;
  use(cpu, gpu, api, overhead, idle);
}

template <Is<OpAggregate> T, typename Use>
void with_fields(T& op, Use&& use) {
  auto& [row, times, kernel_api, kernel_gpu, tensor_core_kernels, tensor_core_gpu] = op;
  use(row, times, kernel_api, kernel_gpu, tensor_core_kernels, tensor_core_gpu);
}

template <Is<OpTypeAggregate> T, typename Use>
void with_fields(T& type, Use&& use) {
  auto& [text, op_count, times] = type;
  use(text, op_count, times);
}

template <Is<GroupAggregate> T, typename Use>
void with_fields(T& group, Use&& use) {
  auto& [row, instance_count, eligible_ops, tensor_core_ops, times] = group;
  use(row, instance_count, eligible_ops, tensor_core_ops, times);
}

template <Is<KernelAggregate> T, typename Use>
void with_fields(T& kernel, Use&& use) {
  auto& [op, name, gpu, api, uses_tensor_cores] = kernel;
  use(op, name, gpu, api, uses_tensor_cores);
}

template <Is<CategorySummary> T, typename Use>
void with_fields(T& summary, Use&& use) {
  auto& [cpu, gpu, overhead, idle, count] = summary;
  use(cpu, gpu, overhead, idle, count);
}

template <Is<DeviceAggregate> T, typename Use>
void with_fields(T& device, Use&& use) {
  auto& [row, is_kept, kernel_union, breakdown, communication, kernel_count] = device;
  use(row, is_kept, kernel_union, breakdown, communication, kernel_count);
}

template <Is<Advice> T, typename Use>
void with_fields(T& advice, Use&& use) {
  auto& [detector, problem, recommendation, action, action_arguments] = advice;
  use(detector, problem, recommendation, action, action_arguments);
}

// But for what it shares: the tables of iterations and groups, the aggregation without filters.
template <Is<Aggregation> T, typename Use>
void with_fields(T& all, Use&& use) {
  auto& [selection, table, tree, range, wall, ops, op_types, groups, kernels, devices, breakdown,
         communication, io_recorded, model_times, all_ops, eligible_ops, tensor_core_ops, other_ops,
         all_kernels, tensor_core_kernels, other_kernels, memory, launches, memory_ops,
         tensor_core_kernel_ns, eligible_kernel_ns, advice, unfiltered] = all;
  use(selection, range, wall, ops, op_types, groups, kernels, devices, breakdown, communication,
      io_recorded, model_times, all_ops, eligible_ops, tensor_core_ops, other_ops, all_kernels,
      tensor_core_kernels, other_kernels, memory, launches, memory_ops, tensor_core_kernel_ns,
      eligible_kernel_ns, advice);
}

}  // namespace dlview::aggregate
