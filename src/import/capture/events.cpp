#include "import/capture/events.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/blocks.h"
#include "profile/recorded_work.h"
#include "profile/tensor_core_rules.h"
#include "profile/whole_graphs.h"

namespace dlview::import::capture {
namespace {

using profile::CopyKind;
using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::Row;
using profile::StringId;
using profile::ThreadId;

constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;

// What is unknown is no.
bool are_named_for_tensor_cores(std::string_view name, const profile::Device& gpu) {
  std::optional<profile::ComputeCapability> capability;
  if (gpu.vendor == profile::Vendor::nvidia) capability = gpu.compute_capability();
  return profile::tensor_core_use(name, capability, false).use == profile::TensorCoreUse::yes;
}

}  // namespace

ThreadId thread_of(const profile::Trace& trace, const Work& work) {
  return work.call != kNoRow ? value_or(trace.api_calls.thread, work.call, kNoValue)
                             : value_or(table_of(trace, work.kind).process, work.row, kNoValue);
}

base::Interval call_of(const profile::Trace& trace, const Work& work, base::Interval time) {
  if (work.call != kNoRow) {
    return {trace.api_calls.start_ns[work.call], trace.api_calls.end_ns[work.call]};
  }
  if (work.kind == WorkKind::sync) return time;
  return {time.start_ns, time.start_ns};
}

std::size_t KernelRows::HashOfLaunch::operator()(const LaunchKey& launch) const {
  uint64_t hash = (static_cast<uint64_t>(launch.thread) ^ launch.device) * kOdd;
  for (const int32_t size : {launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                             launch.block.y, launch.block.z}) {
    hash = (hash ^ static_cast<uint32_t>(size)) * kOdd;
    hash ^= hash >> 32;
  }
  return hash;
}

KernelRows::KernelRows(const profile::Trace& trace, const KernelNameIds& name_ids,
                       std::span<const Work> work, profile::ProfileBuilder& builder)
    : trace_(trace), name_ids_(name_ids), work_(work) {
  const auto is_kernel = [](const Work& w) { return w.kind == WorkKind::kernel; };
  kernels_ = static_cast<std::size_t>(std::ranges::partition_point(work, is_kernel) - work.begin());
  add_launches(builder);
  judge_names(builder);
  name_graphs(builder);
}

KernelRows::LaunchKey KernelRows::launch_of(const Work& work) const {
  LaunchKey launch{
      .grid = {}, .block = {}, .device = work.device, .thread = thread_of(trace_, work)};
  if (work.kind == WorkKind::kernel) {
    launch.grid = value_or(trace_.kernels.grid, work.row, profile::Dim3{});
    launch.block = value_or(trace_.kernels.block, work.row, profile::Dim3{});
  }
  return launch;
}

void KernelRows::add_launches(profile::ProfileBuilder& builder) {
  auto launches = base::number_distinct<HashOfLaunch>(
      work_.size(), [this](std::size_t i) { return launch_of(work_[i]); });
  launches_ = std::move(launches.of_item);
  for (const LaunchKey& launch : launches.keys) {
    const Row thread = builder.intern_thread(trace_.numbers_of(launch.thread));
    launch_rows_.push_back(
        builder.intern_launch({launch.grid, launch.block, launch.device, thread}));
  }
}

KernelRows::Names KernelRows::names_of(const Work& work) const {
  const StringId long_name = value_or(trace_.kernels.demangled_name, work.row, kNoText);
  const StringId name = name_ids_.of(work.row);
  if (long_name != kNoText) return {name, long_name};
  const StringId short_name = value_or(trace_.kernels.short_name, work.row, kNoText);
  return {name, short_name == kNoText ? name : short_name};
}

// By the kernel's long name, else its short one.
void KernelRows::judge_names(const profile::ProfileBuilder& builder) {
  auto judged = base::number_distinct<std::hash<uint64_t>>(kernels_, [this](std::size_t i) {
    const Names names = names_of(work_[i]);
    const StringId name = names.long_name == 0 ? names.name : names.long_name;
    return uint64_t{name} << 32 | work_[i].device;
  });
  judged_ = std::move(judged.of_item);
  for (const uint64_t key : judged.keys) {
    uses_tensor_cores_.push_back(are_named_for_tensor_cores(
        builder.text(static_cast<StringId>(key >> 32)), builder.device(static_cast<Row>(key))));
  }
}

void KernelRows::name_graphs(profile::ProfileBuilder& builder) {
  for (const Work& work : work_.subspan(kernels_)) {
    const int64_t graph = value_or(trace_.graph_launches.graph, work.row, kNoValue);
    const std::string name =
        profile::whole_graph_name(graph == kNoValue ? std::nullopt : std::optional(graph));
    const StringId id = builder.intern(name);
    graph_names_.push_back({id, builder.intern(name + ", traced as a whole")});
  }
}

profile::KernelRow KernelRows::row(std::size_t i) const {
  const Work& work = work_[i];
  const base::Interval time = time_of(trace_, work);
  const base::Interval call = call_of(trace_, work, time);
  const bool is_kernel = i < kernels_;
  const Names names = is_kernel ? names_of(work) : graph_names_[i - kernels_];
  return {.name = names.name,
          .long_name = names.long_name,
          .uses_tensor_cores = is_kernel && uses_tensor_cores_[judged_[i]],
          .api_start_ns = call.start_ns,
          .api_stop_ns = call.stop_ns,
          .gpu_start_ns = time.start_ns,
          .gpu_stop_ns = time.stop_ns,
          .launch = launch_rows_[launches_[i]],
          .source_id = is_kernel ? profile::source_id_of_row(work.row)
                                 : profile::source_id_of_graph_launch(trace_, work.row)};
}

namespace {

// Values but for those at these places, which ascend.
template <typename T>
std::vector<T> without(std::span<const T> values, const std::vector<std::size_t>& places) {
  std::vector<T> kept;
  kept.reserve(values.size() - places.size());
  auto next = places.begin();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (next != places.end() && *next == i) {
      ++next;
    } else {
      kept.push_back(values[i]);
    }
  }
  return kept;
}

}  // namespace

void EventAdder::note_too_much(const char* table, Row row) {
  notes_.add(table, kTooMuchTime, row, [] { return std::string("left out"); });
}

Row EventAdder::thread_row(ThreadId thread) {
  const auto [entry, added] = threads_.try_emplace(thread, kNoRow);
  if (added) {
    entry->second = builder_.intern_thread(trace_.numbers_of(thread));
  }
  return entry->second;
}

StringId EventAdder::name_of(const Work& work) {
  if (work.call != kNoRow) return names_.find(work.call);
  return builder_.intern(work.kind == WorkKind::memcpy   ? "memcpy"
                         : work.kind == WorkKind::memset ? "memset"
                                                         : "synchronization");
}

GpuTime EventAdder::gpu_time(const Work& work, Row instance) const {
  const base::Interval time = time_of(trace_, work);
  return {instance, builder_.instance_start_ns(instance), call_of(trace_, work, time), time};
}

void EventAdder::add_time(TimeSums& sums, const Work& work, Row instance) const {
  if (work.kind == WorkKind::sync) {
    sums.add_api(call_of(trace_, work, time_of(trace_, work)));
  } else {
    sums.add_gpu(gpu_time(work, instance));
  }
}

bool EventAdder::has_room(const Work& work, Row instance) {
  const bool fits = work.kind == WorkKind::sync
                        ? budget_.add_api(call_of(trace_, work, time_of(trace_, work)))
                        : budget_.add_gpu(gpu_time(work, instance));
  if (!fits) note_too_much(table_name(notes_.tables, work.kind), work.row);
  return fits;
}

bool EventAdder::has_room_for_all(std::span<const Work> work, std::span<const Row> instances) {
  base::Blocks<TimeSums> blocks(work.size(), kRowsAtOnce);
  blocks.for_each([&](TimeSums& sums, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (instances[i] != kNoRow) add_time(sums, work[i], instances[i]);
    }
  });
  TimeSums sums;
  for (const TimeSums& block : blocks.states()) sums += block;
  return budget_.add_all(sums);
}

std::vector<std::size_t> EventAdder::places_without_room(std::span<const Work> work,
                                                         std::span<const Row> instances) {
  const bool all_fit = has_room_for_all(work, instances);
  if (!all_fit && budget_.needs_spans()) budget_.set_spans(builder_.gpu_spans());
  std::vector<std::size_t> left_out;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const bool stays = instances[i] != kNoRow && (all_fit || has_room(work[i], instances[i]));
    if (!stays) left_out.push_back(i);
  }
  return left_out;
}

void EventAdder::add_kernels(std::span<const Work> work, std::span<const Row> instances) {
  const std::vector<std::size_t> left_out = places_without_room(work, instances);
  std::vector<Work> kept_work;
  std::vector<Row> kept_instances;
  if (!left_out.empty()) {
    kept_work = without(work, left_out);
    kept_instances = without(instances, left_out);
    work = kept_work;
    instances = kept_instances;
  }
  const KernelRows rows(trace_, kernel_names_, work, builder_);
  builder_.add_kernels(instances, [&rows](std::size_t i) { return rows.row(i); });
}

void EventAdder::add_memory_op(const Work& work, Row instance, base::Interval call,
                               base::Interval time) {
  const bool is_copy = work.kind == WorkKind::memcpy;
  const auto bytes_of = [&work](const profile::Column<int64_t>& bytes) {
    return std::max(value_or(bytes, work.row, int64_t{0}), int64_t{0});
  };
  builder_.add_memory_op(
      {.instance = instance,
       .kind = is_copy ? profile::MemoryOpKind::memcpy : profile::MemoryOpKind::memset,
       .name = name_of(work),
       .copy_kind = is_copy ? value_or(trace_.memcpys.copy_kind, work.row, CopyKind::unknown)
                            : CopyKind::unknown,
       .bytes = is_copy ? bytes_of(trace_.memcpys.bytes) : bytes_of(trace_.memsets.bytes),
       .api_start_ns = call.start_ns,
       .api_stop_ns = call.stop_ns,
       .gpu_start_ns = time.start_ns,
       .gpu_stop_ns = time.stop_ns,
       .device = work.device,
       .thread = thread_row(thread_of(trace_, work)),
       .source_id = profile::source_id_of_row(work.row)});
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
                     .thread = thread_row(thread_of(trace_, work)),
                     .source_id = profile::source_id_of_row(work.row)});
}

void EventAdder::add_others(std::span<const Work> work, std::span<const Row> instances) {
  const std::vector<std::size_t> left_out = places_without_room(work, instances);
  auto next = left_out.begin();
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (next != left_out.end() && *next == i) {
      ++next;
      continue;
    }
    const base::Interval time = time_of(trace_, work[i]);
    const base::Interval call = call_of(trace_, work[i], time);
    if (work[i].kind == WorkKind::sync) {
      add_sync(work[i], instances[i], call);
    } else {
      add_memory_op(work[i], instances[i], call, time);
    }
  }
}

void EventAdder::add_call(Row call, Row instance) {
  const profile::TraceApiCalls& calls = trace_.api_calls;
  const base::Interval time{calls.start_ns[call], calls.end_ns[call]};
  if (!budget_.add_api(time)) return note_too_much(notes_.tables.api_calls, call);
  builder_.add_api_call({.instance = instance,
                         .name = names_.find(call),
                         .api_start_ns = time.start_ns,
                         .api_stop_ns = time.stop_ns,
                         .thread = thread_row(value_or(calls.thread, call, kNoValue)),
                         .source_id = profile::source_id_of_row(call)});
}

}  // namespace dlview::import::capture
