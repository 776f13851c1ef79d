// The fields of everything that a Profile is made of, for what has to go through all of them. A
// field that is added to one of these types and not here does not compile.
#pragma once

#include <concepts>
#include <type_traits>

#include "profile/profile.h"

namespace dlview::import::column_cache {

template <typename T, typename Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

// The columns of GpuWork and `own` ones are all that there is.
template <typename Work, std::size_t own>
inline constexpr bool kHasOnly = sizeof(Work) ==
                                 sizeof(profile::GpuWork) + own * sizeof(profile::Column<int64_t>);

template <Is<profile::Ops> T, typename Use>
void with_fields(T& ops, Use&& use) {
  auto& [id, name, type, direction, data_type, data_format, output_format, parameters_format,
         stack_trace, tensor_core_support, source_id] = ops;
  use(id, name, type, direction, data_type, data_format, output_format, parameters_format,
      stack_trace, tensor_core_support, source_id);
}

template <Is<profile::OpInstances> T, typename Use>
void with_fields(T& instances, Use&& use) {
  auto& [op, cpu_start, cpu_stop, thread, input_names, input_shapes, output_names, output_shapes,
         parameters, source_id, first_kernel, first_memory_op, first_sync, first_api_call] =
      instances;
  use(op, cpu_start, cpu_stop, thread, input_names, input_shapes, output_names, output_shapes,
      parameters, source_id, first_kernel, first_memory_op, first_sync, first_api_call);
}

template <Is<profile::Kernels> T, typename Use>
void with_fields(T& kernels, Use&& use) {
  auto& [instance, name, long_name, tensor_cores, api_start, api_stop, gpu_start, gpu_stop, launch,
         source_id] = kernels;
  use(instance, name, long_name, tensor_cores, api_start, api_stop, gpu_start, gpu_stop, launch,
      source_id);
}

template <Is<profile::Launches> T, typename Use>
void with_fields(T& launches, Use&& use) {
  auto& [grid, block, device, thread] = launches;
  use(grid, block, device, thread);
}

template <Is<profile::MemoryOps> T, typename Use>
void with_fields(T& memory_ops, Use&& use) {
  auto& [instance, kind, name, copy_kind, bytes, api_start, api_stop, gpu_start, gpu_stop, device,
         thread, source_id] = memory_ops;
  use(instance, kind, name, copy_kind, bytes, api_start, api_stop, gpu_start, gpu_stop, device,
      thread, source_id);
}

template <Is<profile::Syncs> T, typename Use>
void with_fields(T& syncs, Use&& use) {
  auto& [instance, name, api_start, api_stop, sync_type, event, device, thread, source_id] = syncs;
  use(instance, name, api_start, api_stop, sync_type, event, device, thread, source_id);
}

template <Is<profile::ApiCalls> T, typename Use>
void with_fields(T& calls, Use&& use) {
  auto& [instance, name, api_start, api_stop, thread, source_id] = calls;
  use(instance, name, api_start, api_stop, thread, source_id);
}

template <Is<profile::NamesWithSlashes> T, typename Use>
void with_fields(T& names, Use&& use) {
  auto& [path, nesting] = names;
  use(path, nesting);
}

template <Is<profile::UserRanges> T, typename Use>
void with_fields(T& ranges, Use&& use) {
  auto& [name, path, start, stop, number, thread] = ranges;
  use(name, path, start, stop, number, thread);
}

template <Is<profile::Thread> T, typename Use>
void with_fields(T& thread, Use&& use) {
  auto& [process_id, thread_id] = thread;
  use(process_id, thread_id);
}

template <Is<profile::Device> T, typename Use>
void with_fields(T& device, Use&& use) {
  auto& [source_id, device_id, name, major, minor, sm_count, total, used] = device;
  use(source_id, device_id, name, major, minor, sm_count, total, used);
}

template <Is<profile::ModelConfig> T, typename Use>
void with_fields(T& config, Use&& use) {
  auto& [workers, pin, cudnn, anomaly, gradcheck, gradgradcheck, autograd, set_anomaly, nvtx, amp] =
      config;
  use(workers, pin, cudnn, anomaly, gradcheck, gradgradcheck, autograd, set_anomaly, nvtx, amp);
}

template <Is<profile::SystemFacts> T, typename Use>
void with_fields(T& facts, Use&& use) {
  auto& [gpus, cpu, os, driver, framework, cuda, cudnn, nsys, dlprof, build, name, mode, command,
         mode_enum, version, original_version, domain, config] = facts;
  use(gpus, cpu, os, driver, framework, cuda, cudnn, nsys, dlprof, build, name, mode, command,
      mode_enum, version, original_version, domain, config);
}

template <Is<profile::StoredAggregation::Iteration> T, typename Use>
void with_fields(T& iteration, Use&& use) {
  auto& [number, start, stop] = iteration;
  use(number, start, stop);
}

template <Is<profile::StoredAggregation> T, typename Use>
void with_fields(T& stored, Use&& use) {
  auto& [id, user, host, started, ended, key_op, first, last, iterations, io, has_advice] = stored;
  use(id, user, host, started, ended, key_op, first, last, iterations, io, has_advice);
}

template <Is<profile::QualityNote> T, typename Use>
void with_fields(T& note, Use&& use) {
  auto& [table, reason, rows, example] = note;
  use(table, reason, rows, example);
}

template <Is<profile::NotRecorded> T, typename Use>
void with_fields(T& lack, Use&& use) {
  auto& [what, remedy] = lack;
  use(what, remedy);
}

template <Is<profile::SourceInfo> T, typename Use>
void with_fields(T& source, Use&& use) {
  auto& [path, format, bytes, by_rules] = source;
  use(path, format, bytes, by_rules);
}

template <Is<profile::GpuWork> T, typename Use>
void with_fields(T& work, Use&& use) {
  auto& [start, end, correlation, process, device, context, green_context, stream, node] = work;
  use(start, end, correlation, process, device, context, green_context, stream, node);
}

template <typename T>
auto& as_gpu_work(T& work) {
  using Work = std::conditional_t<std::is_const_v<T>, const profile::GpuWork, profile::GpuWork>;
  return static_cast<Work&>(work);
}

template <Is<profile::TraceKernels> T, typename Use>
void with_fields(T& kernels, Use&& use) {
  static_assert(kHasOnly<profile::TraceKernels, 8>);
  with_fields(as_gpu_work(kernels), use);
  use(kernels.short_name, kernels.demangled_name, kernels.mangled_name, kernels.grid, kernels.block,
      kernels.registers_per_thread, kernels.static_shared_bytes, kernels.dynamic_shared_bytes);
}

template <Is<profile::TraceMemcpys> T, typename Use>
void with_fields(T& memcpys, Use&& use) {
  static_assert(kHasOnly<profile::TraceMemcpys, 5>);
  with_fields(as_gpu_work(memcpys), use);
  use(memcpys.bytes, memcpys.copy_kind, memcpys.src_kind, memcpys.dst_kind,
      memcpys.virtual_address);
}

template <Is<profile::TraceMemsets> T, typename Use>
void with_fields(T& memsets, Use&& use) {
  static_assert(kHasOnly<profile::TraceMemsets, 2>);
  with_fields(as_gpu_work(memsets), use);
  use(memsets.bytes, memsets.memory_kind);
}

template <Is<profile::TraceSyncs> T, typename Use>
void with_fields(T& syncs, Use&& use) {
  static_assert(kHasOnly<profile::TraceSyncs, 2>);
  with_fields(as_gpu_work(syncs), use);
  use(syncs.sync_type, syncs.event);
}

template <Is<profile::TraceGraphLaunches> T, typename Use>
void with_fields(T& launches, Use&& use) {
  static_assert(kHasOnly<profile::TraceGraphLaunches, 2>);
  with_fields(as_gpu_work(launches), use);
  use(launches.graph, launches.graph_exec);
}

template <Is<profile::TraceCpuFaults> T, typename Use>
void with_fields(T& faults, Use&& use) {
  auto& [start, address, instruction] = faults;
  use(start, address, instruction);
}

template <Is<profile::TraceGpuFaults> T, typename Use>
void with_fields(T& faults, Use&& use) {
  auto& [start, end, address, count] = faults;
  use(start, end, address, count);
}

template <Is<profile::TraceApiCalls> T, typename Use>
void with_fields(T& calls, Use&& use) {
  auto& [start, end, event_class, thread, correlation, name, return_value] = calls;
  use(start, end, event_class, thread, correlation, name, return_value);
}

template <Is<profile::TraceNvtx> T, typename Use>
void with_fields(T& nvtx, Use&& use) {
  auto& [start, end, type, thread, end_thread, domain, text, range_id, category, colour, row] =
      nvtx;
  use(start, end, type, thread, end_thread, domain, text, range_id, category, colour, row);
}

template <Is<profile::TraceCalls::Table> T, typename Use>
void with_fields(T& table, Use&& use) {
  auto& [name, first] = table;
  use(name, first);
}

template <Is<profile::TraceCalls> T, typename Use>
void with_fields(T& calls, Use&& use) {
  auto& [start, end, thread, name, tables] = calls;
  use(start, end, thread, name, tables);
}

template <Is<profile::TraceProcess> T, typename Use>
void with_fields(T& process, Use&& use) {
  auto& [host, number, name] = process;
  use(host, number, name);
}

template <Is<profile::TraceThread> T, typename Use>
void with_fields(T& thread, Use&& use) {
  auto& [process, number, name, priority] = thread;
  use(process, number, name, priority);
}

template <Is<profile::TraceSwitches> T, typename Use>
void with_fields(T& switches, Use&& use) {
  auto& [time, thread, cpu, is_running] = switches;
  use(time, thread, cpu, is_running);
}

template <Is<profile::TraceFrames> T, typename Use>
void with_fields(T& frames, Use&& use) {
  auto& [caller, function, module] = frames;
  use(caller, function, module);
}

template <Is<profile::TraceSamples> T, typename Use>
void with_fields(T& samples, Use&& use) {
  auto& [time, thread, frame] = samples;
  use(time, thread, frame);
}

template <Is<profile::NvtxDomain> T, typename Use>
void with_fields(T& domain, Use&& use) {
  auto& [process, id, name] = domain;
  use(process, id, name);
}

template <Is<profile::TraceGpu> T, typename Use>
void with_fields(T& gpu, Use&& use) {
  auto& [id, cuda_device, name, bus, uuid, memory, bandwidth, clock, sms, major, minor] = gpu;
  use(id, cuda_device, name, bus, uuid, memory, bandwidth, clock, sms, major, minor);
}

template <Is<profile::TraceCudaDevice> T, typename Use>
void with_fields(T& device, Use&& use) {
  auto& [gpu_id, cuda_device, process_id] = device;
  use(gpu_id, cuda_device, process_id);
}

template <Is<profile::CaptureFacts> T, typename Use>
void with_fields(T& facts, Use&& use) {
  auto& [host, program, schema_version, cpu_cores, kernel_release] = facts;
  use(host, program, schema_version, cpu_cores, kernel_release);
}

template <Is<profile::Trace> T, typename Use>
void with_fields(T& trace, Use&& use) {
  auto& [kernels, memcpys, memsets, syncs, graphs, cpu_faults, gpu_faults, api_calls, nvtx,
         os_calls, mpi_calls, switches, frames, samples, text_ids, processes, threads, domains,
         gpus, cuda_devices, duration, utc_start, capture, names_copy_kinds] = trace;
  use(kernels, memcpys, memsets, syncs, graphs, cpu_faults, gpu_faults, api_calls, nvtx, os_calls,
      mpi_calls, switches, frames, samples, text_ids, processes, threads, domains, gpus,
      cuda_devices, duration, utc_start, capture, names_copy_kinds);
}

template <Is<profile::RecordedTable> T, typename Use>
void with_fields(T& table, Use&& use) {
  auto& [name, what, rows, what_for] = table;
  use(name, what, rows, what_for);
}

template <Is<profile::ProfilerMessage> T, typename Use>
void with_fields(T& message, Use&& use) {
  auto& [is_error, text, count] = message;
  use(is_error, text, count);
}

template <Is<profile::Profile> T, typename Use>
void with_fields(T& profile, Use&& use) {
  auto& [source, strings, ops, instances, kernels, launches, memory_ops, syncs, api_calls,
         user_ranges, names_with_slashes, threads, devices, trace, system, stored, quality,
         not_recorded, tables, messages, last_ns, first_ns] = profile;
  use(source, strings, ops, instances, kernels, launches, memory_ops, syncs, api_calls, user_ranges,
      names_with_slashes, threads, devices, trace, system, stored, quality, not_recorded, tables,
      messages, last_ns, first_ns);
}

}  // namespace dlview::import::column_cache
