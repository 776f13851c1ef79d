#include "import/pytorch/event_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/utf8.h"
#include "import/pytorch/collectives.h"
#include "import/pytorch/event_category.h"

namespace dlview::import::pytorch {
namespace {

constexpr std::size_t kExampleBytes = 60;
constexpr StringId kNoText = UINT32_MAX;
constexpr std::string_view kModulePrefix = "nn.Module: ";
constexpr std::string_view kMemoryName = "[memory]";

// Of `pid` and `tid`. Programs that load and save a trace write 5 as 5.0.
std::string_view raw_id(const JsonValue& id) {
  std::string_view raw = id.raw;
  if (id.kind == JsonValue::Kind::number && raw.ends_with(".0")) raw.remove_suffix(2);
  return raw;
}

// A number and its text are the same.
std::string id_text(const JsonValue& id) {
  return id.has_escapes ? unescaped(id.raw) : std::string(raw_id(id));
}

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

Scan RawEvent::read(JsonScanner& json, KeyChain& keys) {
  phase = category = name = process = thread = time = duration = JsonValue();
  arguments.clear();
  JsonValue other;
  JsonValue* const places[] = {&other,   &phase,  &category, &name,
                               &process, &thread, &time,     &duration};
  constexpr uint8_t kOther = 0, kArguments = 8;
  const auto field_of = [](std::string_view key) -> uint8_t {
    constexpr std::string_view kKeys[] = {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args"};
    const auto* const found = std::ranges::find(kKeys, key);
    return found == std::end(kKeys) ? kOther : static_cast<uint8_t>(found - kKeys + 1);
  };
  return json.fields(keys, KeyChain::kEvent, field_of, [&](std::string_view, uint8_t field) {
    if (field != kArguments) return json.value(*places[field]);
    if (!json.skip_space() || *json.at() != '{') return json.value(other);
    arguments.clear();
    return json.fields(keys, KeyChain::kArguments, field_of, [&](std::string_view key, uint8_t) {
      return json.value(arguments.emplace_back(Argument{key, {}}).value);
    });
  });
}

void EventPart::Span::add(const EventTime& event, int64_t object) {
  add(Span{1, event, object, object}, 0);
}

void EventPart::Span::add(const Span& other, int64_t objects) {
  events += other.events;
  if (other.time.start_ns < time.start_ns) {
    time.start_ns = other.time.start_ns;
    first = objects + other.first;
  }
  if (other.time.stop_ns > time.stop_ns) {
    time.stop_ns = other.time.stop_ns;
    last = objects + other.last;
  }
}

template <typename Describe>
void EventPart::note(EventProblem problem, const Describe& describe) {
  Note& note = notes_[static_cast<std::size_t>(problem)];
  if (note.rows++ > 0) return;
  note.first = objects_;
  note.example = describe();
}

void EventPart::add_damaged(std::string_view text) {
  ++objects_;
  note(EventProblem::damaged, [&] {
    const std::size_t left_out = text.size() - std::min(text.size(), kExampleBytes);
    std::string shown = base::with_valid_utf8(text.substr(left_out));
    std::ranges::replace_if(
        shown, [](char letter) { return 0 <= letter && letter < ' '; }, ' ');
    return (left_out > 0 ? "…" : "") + shown;
  });
}

int64_t EventPart::integer(const JsonValue& value) {
  if (value.kind != JsonValue::Kind::number && !value.is_text()) return kNoValue;
  if (const std::optional<int64_t> number = scaled_decimal(value.raw, 0)) return *number;
  if (value.kind == JsonValue::Kind::number) {
    note(EventProblem::number_out_of_range, [&] { return std::string(value.raw.substr(0, 100)); });
  }
  return kNoValue;
}

int64_t EventPart::number_or_text(const JsonValue& value) {
  if (value.is_text() && !value.raw.empty() && !scaled_decimal(value.raw, 0)) {
    return number_of_text(text(value));
  }
  const int64_t number = integer(value);
  return stands_for_text(number) ? number_of_text(texts_.intern(std::to_string(number))) : number;
}

int64_t EventPart::correlation(const JsonValue& value) {
  const int64_t number = number_or_text(value);
  return number == -1 ? kNoValue : number;
}

int64_t EventPart::device_number(const JsonValue& value) {
  const int64_t number = integer(value);
  return stands_for_text(number) ? kNoValue : number;
}

double EventPart::decimal(const JsonValue& value) const {
  if (value.kind != JsonValue::Kind::number) return -1;
  // Exact: both numbers are, and division rounds as strtod() does.
  constexpr std::size_t kMostDigits = 15;
  const std::size_t point = value.raw.find('.');
  if (value.raw.size() <= kMostDigits + 1 && point != std::string_view::npos &&
      value.raw.find_first_not_of("0123456789.") == std::string_view::npos) {
    const std::size_t fraction = value.raw.size() - point - 1;
    double power = 1;
    for (std::size_t i = 0; i < fraction; ++i) power *= 10;
    const auto scaled = scaled_decimal(value.raw, static_cast<int>(fraction));
    if (scaled) return static_cast<double>(*scaled) / power;
  }
  const std::string text(value.raw.substr(0, 100));
  const double number = std::strtod(text.c_str(), nullptr);
  return std::isfinite(number) ? number : -1;
}

profile::Dim3 EventPart::sizes(const JsonValue& value) {
  profile::Dim3 result{0, 0, 0};
  if (value.kind != JsonValue::Kind::list) return result;
  int32_t* const places[] = {&result.x, &result.y, &result.z};
  std::size_t place = 0;
  JsonScanner json(value.raw);
  const auto take = [&](const JsonValue& size) {
    const int64_t number = integer(size);
    if (place < 3 && 0 < number && number <= INT32_MAX) {
      *places[place] = static_cast<int32_t>(number);
    }
    ++place;
  };
  json.list(take);
  const bool is_whole = place == 3 && result.x > 0 && result.y > 0 && result.z > 0;
  return is_whole ? result : profile::Dim3{0, 0, 0};
}

std::string EventPart::valid_text(const JsonValue& value) {
  std::string text = value.has_escapes ? unescaped(value.raw) : std::string(value.raw);
  if (base::is_utf8(text)) return text;
  text = base::with_valid_utf8(text);
  note(EventProblem::not_utf8, [&] { return text.substr(0, text.find('\0')); });
  return text;
}

StringId EventPart::text(const JsonValue& value) {
  if (!value.is_text()) return 0;
  const bool is_plain = !value.has_escapes && base::ascii_length(value.raw) == value.raw.size();
  return is_plain ? texts_.intern(value.raw) : texts_.intern(valid_text(value));
}

StringId EventPart::list(const JsonValue& value) {
  if (value.kind != JsonValue::Kind::list) return 0;
  const StringId raw = raw_lists_.intern(value.raw);
  if (list_texts_.size() <= raw) list_texts_.resize(raw + 1, kNoText);
  if (list_texts_[raw] == kNoText) {
    JsonValue made = value;
    const std::string dense = without_spaces(value.raw);
    made.raw = dense;
    list_texts_[raw] = texts_.intern(valid_text(made));
  }
  return list_texts_[raw];
}

uint32_t EventPart::thread(const RawEvent& event) {
  // A byte that no id has stands between the two.
  const std::string_view process = raw_id(event.process), thread = raw_id(event.thread);
  const auto is_last = [&] {
    return last_thread_key_.size() == process.size() + 1 + thread.size() &&
           last_thread_key_.starts_with(process) && last_thread_key_[process.size()] == '"' &&
           last_thread_key_.ends_with(thread);
  };
  if (!events_.threads.empty() && is_last()) return last_thread_;
  last_thread_key_.assign(process).append(1, '"').append(thread);
  const auto [found, is_new] =
      thread_numbers_.try_emplace(last_thread_key_, static_cast<uint32_t>(events_.threads.size()));
  if (is_new) {
    events_.threads.push_back({base::with_valid_utf8(id_text(event.process)),
                               base::with_valid_utf8(id_text(event.thread)), "", ""});
  }
  return last_thread_ = found->second;
}

void EventPart::count_skipped(std::string_view category, int64_t count) {
  for (SkippedEvents& skipped : events_.skipped) {
    if (skipped.category == category) {
      skipped.count += count;
      return;
    }
  }
  events_.skipped.push_back({std::string(category), count});
}

bool EventPart::read_time(const RawEvent& event, EventTime& time) {
  const auto is_number = [](const JsonValue& value) {
    return value.kind == JsonValue::Kind::number || value.is_text();
  };
  const auto describe = [&] { return base::with_valid_utf8(event.name.raw.substr(0, 200)); };
  if (!is_number(event.time)) {
    note(EventProblem::no_time, describe);
    return false;
  }
  const std::optional<int64_t> start = scaled_decimal(event.time.raw, 3);
  std::optional<int64_t> duration = 0;
  if (is_number(event.duration)) duration = scaled_decimal(event.duration.raw, 3);
  if (event.duration.is_text() && !duration) duration = 0;
  if (duration && *duration < 0) {
    note(EventProblem::negative_duration, describe);
    duration = 0;
  }
  if (event.time.is_text() && !start) {
    note(EventProblem::no_time, describe);
    return false;
  }
  if (!start || !duration || *start == kNoValue ||
      *duration > std::numeric_limits<int64_t>::max() - std::max<int64_t>(*start, 0)) {
    note(EventProblem::time_out_of_range, describe);
    return false;
  }
  time = {*start, *start + *duration};
  return true;
}

void EventPart::add(const RawEvent& event) {
  ++objects_;
  if (!event.is_event()) {
    note(EventProblem::no_phase,
         [&] { return base::with_valid_utf8(event.name.raw.substr(0, 200)); });
    return;
  }
  switch (event.phase.raw[0]) {
    case 'X':
      return add_range(event, false);
    case 'B':
      return add_range(event, true);
    case 'E':
      return add_end(event);
    case 'M':
      return add_metadata(event);
    case 'i':
    case 'I':
      return add_allocation(event);
    case 's':
    case 't':
    case 'f':  // arrows say nothing that correlation does not
      return;
    case 'C':
      return add_counter(event);
    default:
      return count_skipped(fmt::format("phase {}", base::with_valid_utf8(event.phase.raw)));
  }
}

void EventPart::add_range(const RawEvent& event, bool is_begin) {
  const EventCategory category = category_of(event);
  EventTime time;
  if (category == EventCategory::trace || !read_time(event, time)) {
    if (!is_begin) return;
    return marks_.push_back({.is_begin = true,
                             .counts = false,
                             .thread = thread(event),
                             .name = text(event.name),
                             .time_ns = INT64_MIN,
                             .object = objects_});
  }
  if (is_begin) time.stop_ns = time.start_ns;
  const bool is_at_zero =
      is_gpu_work(category) && !is_begin && time.start_ns == 0 && time.stop_ns == 0;
  if (is_at_zero && first_zero_ == 0) first_zero_ = objects_;
  (is_at_zero ? zero_span_ : span_).add(time, objects_);
  Mark mark{.is_begin = is_begin, .time_ns = time.start_ns, .object = objects_};
  const auto mark_as = [&mark](Mark::List list, std::size_t index) {
    mark.list = list;
    mark.index = static_cast<uint32_t>(index);
  };
  switch (category) {
    case EventCategory::operation:
    case EventCategory::none:
    case EventCategory::annotation:
    case EventCategory::unknown:
      mark_as(Mark::List::host, events_.host.size());
      add_host(event, time,
               category == EventCategory::annotation ? HostEvent::Kind::annotation
               : category == EventCategory::unknown  ? HostEvent::Kind::other
                                                     : HostEvent::Kind::op);
      break;
    case EventCategory::frame:
      add_frame(event, time, mark);
      break;
    case EventCategory::runtime_call:
    case EventCategory::driver_call:
      mark_as(Mark::List::calls, events_.calls.size());
      add_call(event, time,
               category == EventCategory::driver_call ? profile::ApiLayer::driver
                                                      : profile::ApiLayer::runtime);
      break;
    case EventCategory::kernel:
      mark_as(Mark::List::kernels, events_.kernels.size());
      add_kernel(event, time);
      break;
    case EventCategory::memcpy:
      mark_as(Mark::List::memcpys, events_.memcpys.size());
      add_memory(event, time, events_.memcpys);
      break;
    case EventCategory::memset:
      mark_as(Mark::List::memsets, events_.memsets.size());
      add_memory(event, time, events_.memsets);
      break;
    case EventCategory::sync:
      mark_as(Mark::List::syncs, events_.syncs.size());
      add_sync(event, time);
      break;
    case EventCategory::overhead:
      mark_as(Mark::List::overheads, events_.overheads.size());
      events_.overheads.push_back({time, text(event.name)});
      break;
    default:
      count_skipped(event.category.raw);
  }
  if (is_begin) {
    mark.thread = thread(event);
    mark.name = text(event.name);
    marks_.push_back(mark);
  }
}

void EventPart::add_end(const RawEvent& event) {
  EventTime time;
  if (!read_time(event, time)) return;
  marks_.push_back({.thread = thread(event),
                    .name = text(event.name),
                    .time_ns = time.start_ns,
                    .object = objects_});
}

void EventPart::add_metadata(const RawEvent& event) {
  const bool is_process = equals(event.name.raw, "process_name");
  if (!is_process && event.name.raw != "thread_name") return;
  std::string name;
  for (const auto& [key, value] : event.arguments) {
    if (equals(key, "name") && value.is_text()) name = valid_text(value);
  }
  if (name.empty()) return;
  std::string process = base::with_valid_utf8(id_text(event.process));
  if (is_process) {
    process_names_.try_emplace(std::move(process), std::move(name));
  } else {
    thread_names_.try_emplace({std::move(process), base::with_valid_utf8(id_text(event.thread))},
                              std::move(name));
  }
}

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
