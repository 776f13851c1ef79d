#include "import/nsys/events.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "import/nsys/trace_values.h"
#include "profile/tensor_core_rules.h"

namespace dlview::import::nsys {

using profile::GlobalId;
using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::Row;
using profile::StringId;

std::size_t EventAdder::HashOfLaunch::operator()(const profile::LaunchRow& launch) const {
  uint64_t hash = uint64_t{launch.device} << 32 | launch.thread;
  for (const int32_t size : {launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                             launch.block.y, launch.block.z}) {
    hash = (hash ^ static_cast<uint32_t>(size)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

void EventAdder::note_too_much(const char* table, Row row) {
  notes_.add(table, kTooMuchTime, row, [] { return std::string("left out"); });
}

base::Interval EventAdder::call_of(const Work& work, base::Interval time) const {
  if (work.call != kNoRow) {
    return {trace_.api_calls.start_ns[work.call], trace_.api_calls.end_ns[work.call]};
  }
  if (work.kind == WorkKind::sync) return time;
  return {time.start_ns, time.start_ns};
}

Row EventAdder::thread_row(GlobalId thread) {
  const auto [entry, added] = threads_.emplace(thread, kNoRow);
  if (added) {
    entry->second =
        builder_.intern_thread({profile::process_id_of(thread), profile::thread_id_of(thread)});
  }
  return entry->second;
}

Row EventAdder::launch_row(const profile::LaunchRow& launch) {
  const auto [entry, added] = launches_.emplace(launch, kNoRow);
  if (added) entry->second = builder_.intern_launch(launch);
  return entry->second;
}

Row EventAdder::thread_of(const Work& work) {
  return thread_row(work.call != kNoRow
                        ? value_or(trace_.api_calls.thread, work.call, kNoValue)
                        : value_or(table_of(trace_, work.kind).process, work.row, GlobalId{0}));
}

StringId EventAdder::name_of(const Work& work) {
  if (work.call != kNoRow) return names_.find(work.call);
  return builder_.intern(work.kind == WorkKind::memcpy   ? "memcpy"
                         : work.kind == WorkKind::memset ? "memset"
                                                         : "synchronization");
}

bool EventAdder::uses_tensor_cores(const profile::KernelRow& kernel, Row device) {
  const StringId name = kernel.long_name == 0 ? kernel.name : kernel.long_name;
  const auto [entry, added] = tensor_core_names_.emplace(uint64_t{name} << 32 | device, false);
  if (added) {
    const profile::Device& gpu = builder_.device(device);
    std::optional<profile::ComputeCapability> capability;
    if (gpu.compute_capability_major > 0) {
      capability = {gpu.compute_capability_major, gpu.compute_capability_minor};
    }
    const profile::TensorCoreVerdict verdict =
        profile::tensor_core_use(builder_.text(name), capability, false);
    entry->second = verdict.use == profile::TensorCoreUse::yes;
  }
  return entry->second;
}

void EventAdder::add_kernel(const Work& work, Row instance, base::Interval call,
                            base::Interval time) {
  profile::KernelRow row{.instance = instance,
                         .api_start_ns = call.start_ns,
                         .api_stop_ns = call.stop_ns,
                         .gpu_start_ns = time.start_ns,
                         .gpu_stop_ns = time.stop_ns,
                         .source_id = int64_t{work.row} + 1};
  profile::LaunchRow launch{
      .grid = {}, .block = {}, .device = work.device, .thread = thread_of(work)};
  if (work.kind == WorkKind::graph) {
    // Behind those of the kernels, of which it becomes one.
    row.source_id += static_cast<int64_t>(trace_.kernels.size());
    const int64_t graph = value_or(trace_.graph_launches.graph, work.row, kNoValue);
    const std::string number = graph == kNoValue ? "" : " " + std::to_string(graph);
    row.name = builder_.intern("CUDA graph" + number);
    row.long_name = builder_.intern("CUDA graph" + number + ", all its work as one");
  } else {
    const profile::TraceKernels& kernels = trace_.kernels;
    const StringId name = value_or(kernels.short_name, work.row, kNoText);
    const StringId long_name = value_or(kernels.demangled_name, work.row, kNoText);
    row.name = name == kNoText ? 0 : name;
    row.long_name = long_name == kNoText ? row.name : long_name;
    row.uses_tensor_cores = uses_tensor_cores(row, work.device);
    launch.grid = value_or(kernels.grid, work.row, profile::Dim3{});
    launch.block = value_or(kernels.block, work.row, profile::Dim3{});
  }
  row.launch = launch_row(launch);
  builder_.add_kernel(row);
}

int8_t EventAdder::copy_kind_of(Row memcpy) {
  const int16_t kind = value_or(trace_.memcpys.copy_kind, memcpy, int16_t{0});
  if (std::in_range<int8_t>(kind)) return static_cast<int8_t>(kind);
  notes_.add(table_name(WorkKind::memcpy), "its copyKind is not known", memcpy,
             [kind] { return "copyKind is " + std::to_string(kind); });
  return 0;
}

void EventAdder::add_memory_op(const Work& work, Row instance, base::Interval call,
                               base::Interval time) {
  const bool is_copy = work.kind == WorkKind::memcpy;
  const auto& bytes = is_copy ? trace_.memcpys.bytes : trace_.memsets.bytes;
  builder_.add_memory_op(
      {.instance = instance,
       .kind = is_copy ? profile::MemoryOpKind::memcpy : profile::MemoryOpKind::memset,
       .name = name_of(work),
       .copy_kind = is_copy ? copy_kind_of(work.row) : int8_t{0},
       .bytes = std::max(value_or(bytes, work.row, int64_t{0}), int64_t{0}),
       .api_start_ns = call.start_ns,
       .api_stop_ns = call.stop_ns,
       .gpu_start_ns = time.start_ns,
       .gpu_stop_ns = time.stop_ns,
       .device = work.device,
       .thread = thread_of(work),
       .source_id = int64_t{work.row} + 1});
}

void EventAdder::add_sync(const Work& work, Row instance, base::Interval call) {
  constexpr int64_t kNoEvent = UINT32_MAX;
  const int64_t event = value_or(trace_.syncs.event, work.row, kNoValue);
  builder_.add_sync({.instance = instance,
                     .name = name_of(work),
                     .api_start_ns = call.start_ns,
                     .api_stop_ns = call.stop_ns,
                     .sync_type = value_or(trace_.syncs.sync_type, work.row, 0),
                     .event_id = event == kNoValue ? kNoEvent : event,
                     .thread = thread_of(work),
                     .source_id = int64_t{work.row} + 1});
}

void EventAdder::add_work(const Work& work, Row instance) {
  const base::Interval time = time_of(trace_, work);
  const base::Interval call = call_of(work, time);
  const bool fits =
      work.kind == WorkKind::sync ? budget_.add_api(call) : budget_.add_gpu(instance, call, time);
  if (!fits) return note_too_much(table_name(work.kind), work.row);
  switch (work.kind) {
    case WorkKind::kernel:
    case WorkKind::graph:
      return add_kernel(work, instance, call, time);
    case WorkKind::memcpy:
    case WorkKind::memset:
      return add_memory_op(work, instance, call, time);
    case WorkKind::sync:
      return add_sync(work, instance, call);
  }
}

void EventAdder::add_call(Row call, Row instance) {
  const profile::TraceApiCalls& calls = trace_.api_calls;
  const base::Interval time{calls.start_ns[call], calls.end_ns[call]};
  if (!budget_.add_api(time)) return note_too_much(kApiCallTable, call);
  builder_.add_api_call({.instance = instance,
                         .name = names_.find(call),
                         .api_start_ns = time.start_ns,
                         .api_stop_ns = time.stop_ns,
                         .thread = thread_row(value_or(calls.thread, call, kNoValue)),
                         .source_id = int64_t{call} + 1});
}

}  // namespace dlview::import::nsys
