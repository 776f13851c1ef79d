#include "import/nsys/ops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "import/nsys/call_index.h"
#include "import/nsys/instances.h"
#include "import/nsys/marker.h"
#include "import/nsys/op_list.h"
#include "import/nsys/op_spans.h"
#include "import/nsys/trace_values.h"
#include "import/nsys/work.h"
#include "import/times.h"
#include "profile/tensor_core_rules.h"

namespace dlview::import::nsys {
namespace {

using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::Row;
using profile::StringId;

// Gives calls and the work that they caused to the builder.
class EventAdder {
 public:
  EventAdder(const profile::Trace& trace, const std::vector<Row>& instance_rows,
             InstanceMaker& names, profile::ProfileBuilder& builder, QualityLog& quality)
      : trace_(trace),
        instance_rows_(instance_rows),
        names_(names),
        builder_(builder),
        quality_(quality),
        budget_(builder.device_count()) {}

  void add_work(const Work& work, Row instance);
  void add_call(Row call, Row instance);

 private:
  // The call that caused the work; where none is recorded, of no duration, when the work began.
  base::Interval call_of(const Work& work) const;
  Row thread_of(const Work& work);
  StringId name_of(const Work& work);
  // By the kernel's long name, else its short one; what is unknown is no.
  bool uses_tensor_cores(const profile::KernelRow& kernel, Row device);
  void add_kernel(const Work& work, Row instance, base::Interval call);
  void add_memory_op(const Work& work, Row instance, base::Interval call);
  void add_sync(const Work& work, Row instance, base::Interval call);
  void note_too_much(const char* table, Row row);

  const profile::Trace& trace_;
  const std::vector<Row>& instance_rows_;
  InstanceMaker& names_;
  profile::ProfileBuilder& builder_;
  QualityLog& quality_;
  TimeBudget budget_;
  std::map<std::pair<StringId, Row>, bool> tensor_core_names_;  // by name and device
};

void EventAdder::note_too_much(const char* table, Row row) {
  quality_.add(table, kTooMuchTime, int64_t{row} + 1, [] { return std::string("left out"); });
}

base::Interval EventAdder::call_of(const Work& work) const {
  if (work.call != kNoRow) {
    return {trace_.api_calls.start_ns[work.call], trace_.api_calls.end_ns[work.call]};
  }
  if (work.kind == WorkKind::sync) return work.time;
  return {work.time.start_ns, work.time.start_ns};
}

Row EventAdder::thread_of(const Work& work) {
  const profile::GlobalId thread =
      work.call != kNoRow ? value_or(trace_.api_calls.thread, work.call, profile::kNoValue)
                          : value_or(table_of(trace_, work.kind).process, work.row, int64_t{0});
  return builder_.intern_thread({profile::process_id_of(thread), profile::thread_id_of(thread)});
}

StringId EventAdder::name_of(const Work& work) {
  if (work.call != kNoRow) return names_.call_name(work.call);
  return builder_.intern(work.kind == WorkKind::memcpy   ? "memcpy"
                         : work.kind == WorkKind::memset ? "memset"
                                                         : "synchronization");
}

bool EventAdder::uses_tensor_cores(const profile::KernelRow& kernel, Row device) {
  const StringId name = kernel.long_name == 0 ? kernel.name : kernel.long_name;
  const auto [entry, added] = tensor_core_names_.emplace(std::pair(name, device), false);
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

void EventAdder::add_kernel(const Work& work, Row instance, base::Interval call) {
  profile::KernelRow row{.instance = instance,
                         .api_start_ns = call.start_ns,
                         .api_stop_ns = call.stop_ns,
                         .gpu_start_ns = work.time.start_ns,
                         .gpu_stop_ns = work.time.stop_ns,
                         .source_id = int64_t{work.row} + 1};
  profile::LaunchRow launch{
      .grid = {}, .block = {}, .device = work.device, .thread = thread_of(work)};
  if (work.kind == WorkKind::graph) {
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
  row.launch = builder_.intern_launch(launch);
  builder_.add_kernel(row);
}

void EventAdder::add_memory_op(const Work& work, Row instance, base::Interval call) {
  const bool is_copy = work.kind == WorkKind::memcpy;
  const auto& bytes = is_copy ? trace_.memcpys.bytes : trace_.memsets.bytes;
  const int16_t copy_kind =
      is_copy ? value_or(trace_.memcpys.copy_kind, work.row, int16_t{0}) : int16_t{0};
  builder_.add_memory_op(
      {.instance = instance,
       .kind = is_copy ? profile::MemoryOpKind::memcpy : profile::MemoryOpKind::memset,
       .name = name_of(work),
       .copy_kind = static_cast<int8_t>(copy_kind),
       .bytes = std::max(value_or(bytes, work.row, int64_t{0}), int64_t{0}),
       .api_start_ns = call.start_ns,
       .api_stop_ns = call.stop_ns,
       .gpu_start_ns = work.time.start_ns,
       .gpu_stop_ns = work.time.stop_ns,
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

void EventAdder::add_work(const Work& work, Row number) {
  const Row instance = instance_rows_[number];
  const base::Interval call = call_of(work);
  const bool fits = work.kind == WorkKind::sync ? budget_.add_api(call)
                                                : budget_.add_gpu(instance, call, work.time);
  if (!fits) return note_too_much(table_name(work.kind), work.row);
  switch (work.kind) {
    case WorkKind::kernel:
    case WorkKind::graph:
      return add_kernel(work, instance, call);
    case WorkKind::memcpy:
    case WorkKind::memset:
      return add_memory_op(work, instance, call);
    case WorkKind::sync:
      return add_sync(work, instance, call);
  }
}

void EventAdder::add_call(Row call, Row number) {
  const profile::TraceApiCalls& calls = trace_.api_calls;
  const base::Interval time{calls.start_ns[call], calls.end_ns[call]};
  if (!budget_.add_api(time)) return note_too_much("CUPTI_ACTIVITY_KIND_RUNTIME", call);
  const profile::GlobalId thread = value_or(calls.thread, call, profile::kNoValue);
  builder_.add_api_call({.instance = instance_rows_[number],
                         .name = names_.call_name(call),
                         .api_start_ns = time.start_ns,
                         .api_stop_ns = time.stop_ns,
                         .thread = builder_.intern_thread(
                             {profile::process_id_of(thread), profile::thread_id_of(thread)}),
                         .source_id = int64_t{call} + 1});
}

void set_model_config(const std::vector<NvtxRange>& ranges, profile::ProfileBuilder& builder) {
  for (const NvtxRange& range : ranges) {
    if (range.kind != RangeKind::marker_config) continue;
    const std::string text(builder.text(range.text));
    if (const auto config = read_config_marker(text)) builder.system.model_config = config;
  }
}

void add_user_ranges(const OpSpans& spans, profile::ProfileBuilder& builder) {
  for (const auto& [range, node] : spans.user_ranges) {
    const std::string path = spans.paths.path(node, builder);
    builder.add_user_range(
        {.name = range->name,
         .path = builder.intern(path),
         .start_ns = range->start_ns,
         .stop_ns = range->stop_ns,
         .number = range->number.value_or(kNoValue),
         .thread = builder.intern_thread(
             {profile::process_id_of(range->thread), profile::thread_id_of(range->thread)})});
  }
}

void note_left_out(const OpSpans& spans, const profile::ProfileBuilder& builder,
                   QualityLog& quality) {
  for (const NvtxRange* range : spans.left_out) {
    quality.add(range->table, "too many ranges of its thread were open", range->source_id,
                [&] { return std::string(builder.text(range->text)); });
  }
}

void note_given(int64_t count, profile::ProfileBuilder& builder) {
  builder.not_recorded.push_back(
      {"Ranges of threads that launched " + base::format_count(count) +
           " kernels and memory operations",
       "Their work is given to the range that was open on the thread that waited for them, as it "
       "does for PyTorch's backward pass. --pytorch=autograd-shapes-nvtx records ranges of their "
       "own"});
}

// Where steps begin, by the numbered range of which there are most; empty when none is numbered.
std::vector<int64_t> step_starts(const OpSpans& spans) {
  std::map<std::pair<OpPaths::Node, profile::GlobalId>, std::vector<int64_t>> starts;
  for (const auto& [range, node] : spans.user_ranges) {
    if (range->number) starts[{node, range->thread}].push_back(range->start_ns);
  }
  std::vector<int64_t> most;
  for (auto& [path, times] : starts) {
    if (times.size() > most.size()) most = std::move(times);
  }
  return most;
}

}  // namespace

void build_ops(const profile::Trace& trace, const DeviceRows& devices,
               profile::ProfileBuilder& builder, QualityLog& quality) {
  const std::vector<NvtxRange> ranges = read_nvtx_ranges(trace, builder, quality);
  set_model_config(ranges, builder);
  const OpSpans spans = find_op_spans(ranges);
  note_left_out(spans, builder, quality);
  add_user_ranges(spans, builder);
  const CallIndex calls(trace, quality);
  const std::vector<Work> work = collect_work(trace, calls, devices, quality);

  OpList ops(builder, step_starts(spans));
  InstanceMaker maker(trace, calls, builder, ops);
  const EventInstances instances = maker.make(spans, work);
  const std::vector<Row> instance_rows = ops.finish();
  if (instances.given_work > 0) note_given(instances.given_work, builder);

  EventAdder adder(trace, instance_rows, maker, builder, quality);
  std::vector<bool> caused_work(trace.api_calls.size());
  for (std::size_t i = 0; i < work.size(); ++i) {
    adder.add_work(work[i], instances.of_work[i]);
    if (work[i].call != kNoRow) caused_work[work[i].call] = true;
  }
  for (const Row call : calls.rows()) {
    const Row instance = instances.of_call[call];
    if (instance != kNoRow && !caused_work[call]) adder.add_call(call, instance);
  }
}

}  // namespace dlview::import::nsys
