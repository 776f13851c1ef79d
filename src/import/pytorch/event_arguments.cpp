#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "import/pytorch/collectives.h"
#include "import/pytorch/event_category.h"
#include "import/pytorch/event_parts.h"

namespace dlview::import::pytorch {
namespace {

constexpr std::string_view kMemoryName = "[memory]";
constexpr std::string_view kModulePrefix = "nn.Module: ";

// "record_param_comms" and annotations of a backend: "nccl:all_reduce".
bool is_collective_name(std::string_view name) {
  constexpr std::string_view kBackends[] = {"nccl:", "gloo:", "xccl:", "hccl:", "mpi:", "ucc:"};
  if (name == kRecordedCollective) return true;
  const std::size_t colon = name.substr(0, 5).find(':');
  if (colon == std::string_view::npos) return false;
  return std::ranges::find(kBackends, name.substr(0, colon + 1)) != std::end(kBackends);
}

SyncEvent::Source source_of_sync(std::string_view category) {
  using enum SyncEvent::Source;
  if (category == "cuda_event") return cuda_event;
  if (category == "xpu_sync") return xpu_sync;
  return category == "mtia_ccp_events" ? mtia_ccp_events : cuda_sync;
}

// "7" and "stream 7".
std::string_view last_word(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text.substr(text.find_last_of(' ') + 1);
}

}  // namespace

void EventPart::add_allocation(const RawEvent& event) {
  if (event.name.raw != kMemoryName) {
    if (category_of(event) == EventCategory::instant) count_skipped(event.category.raw);
    return;
  }
  EventTime time;
  if (!read_time(event, time)) return;
  AllocationEvent allocation;
  allocation.time_ns = time.start_ns;
  allocation.thread = thread(event);
  for (const auto& [key, value] : event.arguments) {
    if (equals(key, "Addr")) allocation.address = integer(value);
    if (equals(key, "Bytes")) allocation.bytes = integer(value);
    if (equals(key, "Total Allocated")) allocation.total_allocated = integer(value);
    if (equals(key, "Total Reserved")) allocation.total_reserved = integer(value);
    if (equals(key, "Device Type")) allocation.device_type = integer(value);
    if (equals(key, "Device Id")) allocation.device = integer(value);
  }
  if (allocation.bytes == kNoValue) allocation.bytes = 0;
  events_.allocations.push_back(allocation);
}

void EventPart::add_counter(const RawEvent& event) {
  EventTime time;
  if (!read_time(event, time)) return;
  CounterSeries series;
  series.counter = text(event.name);
  series.process = texts_.intern(base::with_valid_utf8(id_text(event.process)));
  series.device = number_or_text(event.process);
  for (const auto& [key, value] : event.arguments) {
    if (value.kind != JsonValue::Kind::number) continue;
    const double number = std::strtod(std::string(value.raw.substr(0, 100)).c_str(), nullptr);
    if (!std::isfinite(number)) continue;
    JsonValue name;
    name.kind = JsonValue::Kind::text;
    name.raw = key;
    name.has_escapes = key.find('\\') != std::string_view::npos;
    series.value = text(name);
    events_.counters.push_back({time.start_ns, number, counter_series_.find(series)});
  }
}

void EventPart::add_host(const RawEvent& event, const EventTime& time, HostEvent::Kind kind) {
  HostEvent host;
  static_cast<EventTime&>(host) = time;
  host.name = text(event.name);
  host.thread = thread(event);
  host.kind = kind;
  if (kind == HostEvent::Kind::other) {
    const std::string category = base::with_valid_utf8(id_text(event.category));
    const auto [known, is_new] = unknown_category_numbers_.try_emplace(
        category, static_cast<uint32_t>(unknown_categories_.size()));
    if (is_new) unknown_categories_.push_back(category);
    unknown_.push_back({static_cast<uint32_t>(events_.host.size()), known->second, objects_});
  }
  OpInputs inputs;
  const bool is_collective = is_collective_name(event.name.raw);
  CollectiveEvent collective;
  collective.host_event = static_cast<uint32_t>(events_.host.size());
  for (const auto& [key, value] : event.arguments) {
    switch (key.size()) {
      case 10:
        if (equals(key, "Input Dims") || equals(key, "Input dims")) inputs.dims = list(value);
        if (equals(key, "Input type")) inputs.types = list(value);
        if (equals(key, "Call stack")) host.call_stack = text(value);
        break;
      case 13:
        if (equals(key, "Input Strides")) inputs.strides = list(value);
        if (equals(key, "Fwd thread id")) host.forward_thread = integer(value);
        break;
      case 14:
        if (equals(key, "kernel_backend")) host.is_triton = true;
        break;
      case 15:
        if (equals(key, "Concrete Inputs")) inputs.concrete = list(value);
        if (equals(key, "Sequence number")) host.sequence_number = integer(value);
        break;
      default:
        break;
    }
    if (is_collective) take_collective_argument(key, value, collective);
  }
  if (inputs != OpInputs()) host.inputs = inputs_.find(inputs);
  if (is_collective) events_.collectives.push_back(collective);
  events_.host.push_back(host);
}

// Arguments of record_param_comms, and of its kernels.
void EventPart::take_collective_argument(std::string_view key, const JsonValue& value,
                                         CollectiveEvent& collective) {
  if (equals(key, "Collective name")) collective.name = text(value);
  if (equals(key, "dtype")) collective.data_type = text(value);
  if (equals(key, "Process Group Name")) collective.group_name = text(value);
  if (equals(key, "Process Group Description")) collective.group_description = text(value);
  if (equals(key, "Process Group Ranks")) {
    collective.group_ranks = value.is_text() ? text(value) : list(value);
  }
  if (equals(key, "In msg nelems")) collective.in_elements = integer(value);
  if (equals(key, "Out msg nelems")) collective.out_elements = integer(value);
  if (equals(key, "Group size")) collective.group_size = integer(value);
  if (equals(key, "Rank")) collective.rank = integer(value);
  if (equals(key, "Src Rank")) collective.source_rank = integer(value);
  if (equals(key, "Dst Rank")) collective.target_rank = integer(value);
  if (equals(key, "Seq")) collective.sequence = integer(value);
}

std::size_t EventPart::InputsHash::operator()(const OpInputs& inputs) const {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15U;
  return ((uint64_t{inputs.dims} * kOdd + inputs.types) * kOdd + inputs.strides) * kOdd +
         inputs.concrete;
}

std::size_t EventPart::SeriesHash::operator()(const CounterSeries& series) const {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15U;
  return (uint64_t{series.counter} * kOdd + series.value) * kOdd + series.process;
}

void EventPart::add_frame(const RawEvent& event, const EventTime& time, Mark& mark) {
  ++events_.frames;
  const uint32_t of_thread = thread(event);
  if (!all_frames_ && !event.name.raw.starts_with(kModulePrefix)) return;
  mark.list = Mark::List::modules;
  mark.index = static_cast<uint32_t>(events_.modules.size());
  PythonFrame frame;
  static_cast<EventTime&>(frame) = time;
  frame.name = text(event.name);
  frame.thread = of_thread;
  for (const auto& [key, value] : event.arguments) {
    if (equals(key, "Python id")) frame.id = integer(value);
    if (equals(key, "Python parent id")) frame.parent = integer(value);
    if (equals(key, "Python module id")) frame.module_id = integer(value);
  }
  events_.modules.push_back(frame);
}

void EventPart::add_call(const RawEvent& event, const EventTime& time, profile::ApiLayer layer) {
  CallEvent call;
  static_cast<EventTime&>(call) = time;
  call.name = text(event.name);
  call.thread = thread(event);
  call.layer = layer;
  call.grid = call.block = {0, 0, 0};
  for (const auto& [key, value] : event.arguments) {
    if (equals(key, "correlation")) call.correlation = correlation(value);
    if (equals(key, "grid")) call.grid = sizes(value);
    if (equals(key, "block")) call.block = sizes(value);
  }
  events_.calls.push_back(call);
}

void EventPart::add_gpu_facts(const RawEvent& event, const EventTime& time, GpuEvent& gpu) {
  static_cast<EventTime&>(gpu) = time;
  gpu.name = text(event.name);
  const bool is_old = equals(event.process.raw, "CUDA functions");
  if (gpu.device == kNoValue) {
    const JsonValue& device = is_old ? event.thread : event.process;
    gpu.device = scaled_decimal(last_word(device.raw), 0).value_or(kNoValue);
    if (gpu.device == kNoValue || stands_for_text(gpu.device)) gpu.device = number_or_text(device);
  }
  if (gpu.stream == kNoValue && !is_old) {
    gpu.stream = scaled_decimal(last_word(event.thread.raw), 0).value_or(kNoValue);
  }
}

// Arguments that all work on a GPU has.
bool EventPart::take_gpu_argument(std::string_view key, const JsonValue& value, GpuEvent& gpu) {
  if (equals(key, "device")) {
    gpu.device = device_number(value);
  } else if (equals(key, "stream") || equals(key, "sycl queue")) {
    gpu.stream = integer(value);
  } else if (equals(key, "context")) {
    gpu.context = integer(value);
  } else if (equals(key, "correlation")) {
    gpu.correlation = correlation(value);
  } else {
    return false;
  }
  return true;
}

void EventPart::add_kernel(const RawEvent& event, const EventTime& time) {
  KernelEvent kernel;
  CollectiveEvent collective;
  kernel.grid = kernel.block = {0, 0, 0};
  for (const auto& [key, value] : event.arguments) {
    if (take_gpu_argument(key, value, kernel)) continue;
    if (equals(key, "grid")) kernel.grid = sizes(value);
    if (equals(key, "block")) kernel.block = sizes(value);
    if (equals(key, "registers per thread")) kernel.registers_per_thread = integer(value);
    if (equals(key, "shared memory")) kernel.shared_bytes = integer(value);
    if (equals(key, "est. achieved occupancy %")) kernel.occupancy_percent = integer(value);
    if (equals(key, "blocks per SM")) kernel.blocks_per_sm = decimal(value);
    if (equals(key, "warps per SM")) kernel.warps_per_sm = decimal(value);
    if (equals(key, "graph id")) kernel.graph = integer(value);
    if (equals(key, "graph node id")) kernel.graph_node = integer(value);
    take_collective_argument(key, value, collective);
  }
  if (collective.name != 0) {
    kernel.collective = static_cast<uint32_t>(events_.collectives.size());
    events_.collectives.push_back(collective);
  }
  add_gpu_facts(event, time, kernel);
  events_.kernels.push_back(kernel);
}

void EventPart::add_memory(const RawEvent& event, const EventTime& time,
                           base::LargeVector<MemoryEvent>& events) {
  MemoryEvent memory;
  int64_t in_device = kNoValue;  // of a copy between two GPUs
  for (const auto& [key, value] : event.arguments) {
    if (take_gpu_argument(key, value, memory)) continue;
    if (equals(key, "bytes")) memory.bytes = integer(value);
    if (equals(key, "inDevice")) in_device = device_number(value);
    // MTIA's words.
    if (equals(key, "size")) memory.bytes = integer(value);
    if (equals(key, "direction")) memory.direction = text(value);
  }
  if (memory.device == kNoValue) memory.device = in_device;
  add_gpu_facts(event, time, memory);
  events.push_back(memory);
}

void EventPart::add_sync(const RawEvent& event, const EventTime& time) {
  using Source = SyncEvent::Source;
  SyncEvent sync;
  sync.source = source_of_sync(event.category.raw);
  sync.blocks_host = sync.source == Source::cuda_sync || sync.source == Source::xpu_sync;
  int64_t waits_for_event = kNoValue;
  for (const auto& [key, value] : event.arguments) {
    if (take_gpu_argument(key, value, sync)) continue;
    if (equals(key, "cuda_sync_kind")) {
      sync.kind = text(value);
      // A stream that waits for an event.
      if (value.raw.find("Wait") != std::string_view::npos) sync.blocks_host = false;
    }
    // Of an XPU: "HOST_EVENT", "GPU_BARRIER_EXECUTION".
    if (equals(key, "Type") && value.raw.starts_with("GPU")) sync.blocks_host = false;
    if (equals(key, "wait_on_stream")) sync.waits_for_stream = integer(value);
    if (equals(key, "wait_on_cuda_event_id")) waits_for_event = integer(value);
    if (equals(key, "event_id") || equals(key, "event id")) sync.event = integer(value);
  }
  if (sync.event == kNoValue) sync.event = waits_for_event;
  add_gpu_facts(event, time, sync);
  // Its process is -1, its thread the one that waits.
  if (sync.source == Source::xpu_sync) sync.device = sync.stream = kNoValue;
  // How "none" is written.
  for (int64_t* const number : {&sync.stream, &sync.event, &sync.waits_for_stream}) {
    if (*number == -1 || *number == int64_t{UINT32_MAX}) *number = kNoValue;
  }
  events_.syncs.push_back(sync);
}

}  // namespace dlview::import::pytorch
