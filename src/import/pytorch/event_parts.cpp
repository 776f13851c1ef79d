#include "import/pytorch/event_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/stop_point.h"
#include "base/utf8.h"
#include "import/pytorch/collectives.h"
#include "import/times.h"

namespace dlview::import::pytorch {
namespace {

constexpr const char* kEventTable = "traceEvents";
constexpr std::size_t kExampleBytes = 60;
constexpr StringId kNoText = UINT32_MAX;
constexpr std::string_view kModulePrefix = "nn.Module: ";
constexpr std::string_view kMemoryName = "[memory]";
// More unknown categories count as one.
constexpr uint32_t kMostUnknownCategories = 64;
constexpr std::size_t kRowsBetweenStops = std::size_t{1} << 16;

constexpr const char* kProblems[kEventProblems] = {
    "damaged JSON; the events in it are left out",
    "an event without a phase is left out",
    "an event without a start time is left out",
    "an event whose time exceeds 64 bits is left out",
    "a negative duration counts as 0",
    "a value is not a number or exceeds 64 bits; it counts as not recorded",
    "a text is not UTF-8; \ufffd replaces what cannot be decoded",
};

enum class Category : uint8_t {
  operation,
  annotation,
  kernel,
  memcpy,
  memset,
  runtime_call,
  driver_call,
  frame,
  instant,
  sync,
  skipped,  // known, not shown
  trace,    // the capture itself
  none,
  unknown,
};

struct CategoryName {
  std::string_view name;
  Category category;
};

constexpr CategoryName kCategoryNames[] = {
    {"cpu_op", Category::operation},
    {"Operator", Category::operation},
    {"python_function", Category::frame},
    {"cuda_runtime", Category::runtime_call},
    {"Runtime", Category::runtime_call},
    {"kernel", Category::kernel},
    {"Kernel", Category::kernel},
    {"cpu_instant_event", Category::instant},
    {"user_annotation", Category::annotation},
    {"gpu_memcpy", Category::memcpy},
    {"Memcpy", Category::memcpy},
    {"gpu_memset", Category::memset},
    {"Memset", Category::memset},
    {"cuda_driver", Category::driver_call},
    {"cuda_sync", Category::sync},
    {"xpu_runtime", Category::runtime_call},
    {"xpu_driver", Category::driver_call},
    {"mtia_runtime", Category::runtime_call},
    {"privateuse1_runtime", Category::runtime_call},
    {"privateuse1_driver", Category::driver_call},
    {"gpu_user_annotation", Category::skipped},
    {"overhead", Category::skipped},
    {"cuda_event", Category::skipped},
    {"cuda_profiler_range", Category::skipped},
    {"collective_comm", Category::skipped},
    {"xpu_sync", Category::skipped},
    {"xpu_scope_profiler", Category::skipped},
    {"hardware_counters", Category::skipped},
    {"Trace", Category::trace},
};

Category category_of(const RawEvent& event) {
  if (!event.category.is_text() || event.category.raw.empty()) {
    // The old autograd profiler names no categories.
    return equals(event.process.raw, "CUDA functions") ? Category::kernel : Category::none;
  }
  const auto* const found =
      std::ranges::find(kCategoryNames, event.category.raw, &CategoryName::name);
  return found == std::end(kCategoryNames) ? Category::unknown : found->category;
}

bool is_gpu_work(Category category) {
  return category == Category::kernel || category == Category::memcpy ||
         category == Category::memset;
}

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

// Numbers that stand for texts lie below those of real correlations and devices.
int64_t number_of_text(StringId text) {
  return int64_t{INT32_MIN} - 1 - int64_t{text};
}

bool stands_for_text(int64_t number) {
  return number != kNoValue && number < INT32_MIN;
}

// "7" and "stream 7".
std::string_view last_word(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text.substr(text.find_last_of(' ') + 1);
}

// `growth`: how many times as many events may come in all.
template <typename Events>
void add_with(Events& events, Events&& more, double growth, const auto& change) {
  // Growing copies all of them and touches new memory. What is never used costs nothing.
  constexpr double kLeastGrowth = 1.5, kMostGrowth = 8;
  const std::size_t count = events.size() + more.size();
  if (events.capacity() < count) {
    events.reserve(static_cast<std::size_t>(static_cast<double>(count) *
                                            std::clamp(growth, kLeastGrowth, kMostGrowth)));
  }
  for (auto& event : more) {
    change(event);
    events.push_back(event);
  }
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
    default:
      return count_skipped(equals(event.phase.raw, "C")
                               ? "counters"
                               : fmt::format("phase {}", base::with_valid_utf8(event.phase.raw)));
  }
}

void EventPart::add_range(const RawEvent& event, bool is_begin) {
  const Category category = category_of(event);
  EventTime time;
  if (category == Category::trace || !read_time(event, time)) {
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
    case Category::operation:
    case Category::none:
    case Category::annotation:
    case Category::unknown:
      mark_as(Mark::List::host, events_.host.size());
      add_host(event, time,
               category == Category::annotation ? HostEvent::Kind::annotation
               : category == Category::unknown  ? HostEvent::Kind::other
                                                : HostEvent::Kind::op);
      break;
    case Category::frame:
      add_frame(event, time, mark);
      break;
    case Category::runtime_call:
    case Category::driver_call:
      mark_as(Mark::List::calls, events_.calls.size());
      add_call(event, time,
               category == Category::driver_call ? profile::ApiLayer::driver
                                                 : profile::ApiLayer::runtime);
      break;
    case Category::kernel:
      mark_as(Mark::List::kernels, events_.kernels.size());
      add_kernel(event, time);
      break;
    case Category::memcpy:
      mark_as(Mark::List::memcpys, events_.memcpys.size());
      add_memory(event, time, events_.memcpys);
      break;
    case Category::memset:
      mark_as(Mark::List::memsets, events_.memsets.size());
      add_memory(event, time, events_.memsets);
      break;
    case Category::sync:
      mark_as(Mark::List::syncs, events_.syncs.size());
      add_sync(event, time);
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
    if (category_of(event) == Category::instant) count_skipped(event.category.raw);
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

void EventPart::add_frame(const RawEvent& event, const EventTime& time, Mark& mark) {
  ++events_.frames;
  if (!all_frames_ && !event.name.raw.starts_with(kModulePrefix)) return;
  mark.list = Mark::List::modules;
  mark.index = static_cast<uint32_t>(events_.modules.size());
  PythonFrame frame;
  static_cast<EventTime&>(frame) = time;
  frame.name = text(event.name);
  frame.thread = thread(event);
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
    if (equals(key, "correlation")) call.correlation = number_or_text(value);
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
    gpu.device = integer(value);
  } else if (equals(key, "stream")) {
    gpu.stream = integer(value);
  } else if (equals(key, "context")) {
    gpu.context = integer(value);
  } else if (equals(key, "correlation")) {
    gpu.correlation = number_or_text(value);
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
    if (equals(key, "inDevice")) in_device = integer(value);
  }
  if (memory.device == kNoValue) memory.device = in_device;
  add_gpu_facts(event, time, memory);
  events.push_back(memory);
}

void EventPart::add_sync(const RawEvent& event, const EventTime& time) {
  SyncEvent sync;
  int64_t waits_for_event = kNoValue;
  for (const auto& [key, value] : event.arguments) {
    if (take_gpu_argument(key, value, sync)) continue;
    if (equals(key, "cuda_sync_kind")) sync.kind = text(value);
    if (equals(key, "wait_on_cuda_event_id")) waits_for_event = integer(value);
    if (equals(key, "event_id") || equals(key, "event id")) sync.event = integer(value);
  }
  if (sync.event == kNoValue) sync.event = waits_for_event;
  add_gpu_facts(event, time, sync);
  // How "none" is written.
  for (int64_t* const number : {&sync.stream, &sync.event}) {
    if (*number == -1 || *number == int64_t{UINT32_MAX}) *number = kNoValue;
  }
  events_.syncs.push_back(sync);
}

void EventList::append(EventPart&& part, double growth) {
  std::vector<StringId> texts(part.texts_.size());
  for (StringId id = 0; id < texts.size(); ++id) texts[id] = builder_.intern(part.texts_, id);
  const auto rename = [&texts](StringId& id) { id = texts[id]; };
  TraceEvents& all = all_.events_;
  TraceEvents& more = part.events_;

  std::vector<uint32_t> threads(more.threads.size());
  {
    // Keys by number.
    std::vector<const std::string*> keys(threads.size());
    for (const auto& [key, number] : part.thread_numbers_) keys[number] = &key;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto [found, is_new] =
          all_.thread_numbers_.try_emplace(*keys[i], static_cast<uint32_t>(all.threads.size()));
      if (is_new) all.threads.push_back(std::move(more.threads[i]));
      threads[i] = found->second;
    }
  }
  std::vector<uint32_t> inputs;
  inputs.reserve(part.inputs_.keys().size());
  for (OpInputs each : part.inputs_.keys()) {
    for (StringId* const id : {&each.dims, &each.types, &each.strides, &each.concrete}) rename(*id);
    inputs.push_back(all_.inputs_.find(each));
  }

  const auto host_before = static_cast<uint32_t>(all.host.size());
  const auto collectives_before = static_cast<uint32_t>(all.collectives.size());
  // Rows by Mark::List.
  const std::array<std::size_t, 8> before{
      all.host.size(),    all.calls.size(),   all.modules.size(), all.kernels.size(),
      all.memcpys.size(), all.memsets.size(), all.syncs.size(),   0};
  const auto rename_number = [&texts](int64_t& number) {
    if (!stands_for_text(number)) return;
    number = number_of_text(texts[static_cast<std::size_t>(int64_t{INT32_MIN} - 1 - number)]);
  };
  const auto move_thread = [&threads](uint32_t& thread) { thread = threads[thread]; };
  add_with(all.host, std::move(more.host), growth, [&](HostEvent& host) {
    rename(host.name);
    rename(host.call_stack);
    move_thread(host.thread);
    if (host.inputs != HostEvent::kNoInputs) host.inputs = inputs[host.inputs];
  });
  add_with(all.collectives, std::move(more.collectives), growth, [&](CollectiveEvent& collective) {
    if (collective.host_event != CollectiveEvent::kNoEvent) collective.host_event += host_before;
    for (StringId* const id : {&collective.name, &collective.data_type, &collective.group_name,
                               &collective.group_description, &collective.group_ranks}) {
      rename(*id);
    }
  });
  add_with(all.modules, std::move(more.modules), growth, [&](PythonFrame& frame) {
    rename(frame.name);
    move_thread(frame.thread);
  });
  add_with(all.calls, std::move(more.calls), growth, [&](CallEvent& call) {
    rename(call.name);
    rename_number(call.correlation);
    move_thread(call.thread);
  });
  const auto rename_gpu = [&](GpuEvent& gpu) {
    rename(gpu.name);
    rename_number(gpu.correlation);
    rename_number(gpu.device);
  };
  add_with(all.kernels, std::move(more.kernels), growth, [&](KernelEvent& kernel) {
    rename_gpu(kernel);
    if (kernel.collective != CollectiveEvent::kNoEvent) kernel.collective += collectives_before;
  });
  add_with(all.memcpys, std::move(more.memcpys), growth, rename_gpu);
  add_with(all.memsets, std::move(more.memsets), growth, rename_gpu);
  add_with(all.syncs, std::move(more.syncs), growth, [&](SyncEvent& sync) {
    rename_gpu(sync);
    rename(sync.kind);
  });
  add_with(all.allocations, std::move(more.allocations), growth,
           [&](AllocationEvent& allocation) { move_thread(allocation.thread); });
  add_with(all_.marks_, std::move(part.marks_), growth, [&](EventPart::Mark& mark) {
    mark.index += static_cast<uint32_t>(before[static_cast<std::size_t>(mark.list)]);
    mark.object += all_.objects_;
    rename(mark.name);
    move_thread(mark.thread);
  });

  std::vector<uint32_t> categories;
  for (const std::string& category : part.unknown_categories_) {
    const auto known = all_.unknown_category_numbers_.find(category);
    if (known != all_.unknown_category_numbers_.end()) {
      categories.push_back(known->second);
      continue;
    }
    const auto number = static_cast<uint32_t>(all_.unknown_categories_.size());
    categories.push_back(std::min(number, kMostUnknownCategories));
    if (number > kMostUnknownCategories) continue;
    const bool is_one = number < kMostUnknownCategories;
    if (is_one) all_.unknown_category_numbers_.emplace(category, number);
    all_.unknown_categories_.push_back(is_one ? category : "other categories");
  }
  for (const EventPart::Unknown& unknown : part.unknown_) {
    all_.unknown_.push_back({unknown.host_event + host_before, categories[unknown.category],
                             unknown.object + all_.objects_});
  }
  for (const SkippedEvents& skipped : more.skipped) {
    all_.count_skipped(skipped.category, skipped.count);
  }
  all_.process_names_.merge(part.process_names_);
  all_.thread_names_.merge(part.thread_names_);
  all.frames += more.frames;
  all_.span_.add(part.span_, all_.objects_);
  all_.zero_span_.add(part.zero_span_, all_.objects_);
  if (all_.first_zero_ == 0 && part.first_zero_ > 0) {
    all_.first_zero_ = all_.objects_ + part.first_zero_;
  }
  for (std::size_t i = 0; i < kEventProblems; ++i) {
    EventPart::Note& note = all_.notes_[i];
    EventPart::Note& from = part.notes_[i];
    if (note.rows == 0 && from.rows > 0) {
      note.first = all_.objects_ + from.first;
      note.example = std::move(from.example);
    }
    note.rows += from.rows;
  }
  all_.objects_ += part.objects_;
}

void EventList::close_ranges(QualityLog& quality) {
  using Mark = EventPart::Mark;
  TraceEvents& all = all_.events_;
  const auto event_of = [&all](const Mark& mark) -> EventTime* {
    switch (mark.list) {
      case Mark::List::host:
        return &all.host[mark.index];
      case Mark::List::calls:
        return &all.calls[mark.index];
      case Mark::List::modules:
        return &all.modules[mark.index];
      case Mark::List::kernels:
        return &all.kernels[mark.index];
      case Mark::List::memcpys:
        return &all.memcpys[mark.index];
      case Mark::List::memsets:
        return &all.memsets[mark.index];
      case Mark::List::syncs:
        return &all.syncs[mark.index];
      default:
        return nullptr;
    }
  };
  const auto set_stop = [&event_of](const Mark& mark, int64_t stop_ns) {
    EventTime* const event = event_of(mark);
    if (event != nullptr) event->stop_ns = std::max(event->start_ns, stop_ns);
  };
  int64_t last_ns = all_.span_.time.stop_ns;
  for (const Mark& mark : all_.marks_) last_ns = std::max(last_ns, mark.time_ns);
  std::vector<std::vector<const Mark*>> open(all.threads.size());
  // How many of a thread and name are open: an end without a begin searches nothing.
  std::unordered_map<uint64_t, uint32_t> open_of_name;
  const auto count_of = [&open_of_name](const Mark& mark) -> uint32_t& {
    return open_of_name[uint64_t{mark.thread} << 32U | mark.name];
  };
  int64_t unopened = 0, unclosed = 0;
  const Mark* first_unopened = nullptr;
  const Mark* first_unclosed = nullptr;
  const auto leave_open = [&](const Mark& mark) {
    if (mark.list == Mark::List::none) return;
    set_stop(mark, last_ns);
    ++unclosed;
    if (first_unclosed == nullptr || mark.object < first_unclosed->object) first_unclosed = &mark;
  };
  std::size_t marks = 0;
  for (const Mark& mark : all_.marks_) {
    if (++marks % kRowsBetweenStops == 0) base::stop_point();
    std::vector<const Mark*>& stack = open[mark.thread];
    if (mark.is_begin) {
      stack.push_back(&mark);
      ++count_of(mark);
      continue;
    }
    if (mark.name == 0 ? stack.empty() : count_of(mark) == 0) {
      if (unopened++ == 0) first_unopened = &mark;
      continue;
    }
    const auto begin = std::find_if(stack.rbegin(), stack.rend(), [&](const Mark* candidate) {
      return mark.name == 0 || candidate->name == mark.name;
    });
    const Mark* const closed = *begin;
    set_stop(*closed, mark.time_ns);
    if (closed->counts) {
      all_.span_.time.stop_ns = std::max(all_.span_.time.stop_ns, mark.time_ns);
    }
    while (stack.back() != closed) {
      leave_open(*stack.back());
      --count_of(*stack.back());
      stack.pop_back();
    }
    --count_of(*closed);
    stack.pop_back();
  }
  for (const std::vector<const Mark*>& stack : open) {
    for (const Mark* const mark : stack) leave_open(*mark);
  }
  if (unclosed > 0) {
    all_.span_.time.stop_ns = std::max(all_.span_.time.stop_ns, last_ns);
    quality.add_rows(kEventTable, "a begin event without an end lasts to the end of the trace",
                     unclosed, first_unclosed->object,
                     [&] { return std::string(builder_.text(first_unclosed->name)); });
  }
  if (unopened > 0) {
    quality.add_rows(kEventTable, "an end event without a begin is left out", unopened,
                     first_unopened->object,
                     [&] { return std::string(builder_.text(first_unopened->name)); });
  }
}

void EventList::leave_out_unknown(QualityLog& quality) {
  if (all_.unknown_.empty()) return;
  TraceEvents& all = all_.events_;
  std::set<std::string_view> host_processes;
  const auto add_process = [&](uint32_t thread) {
    host_processes.insert(all.threads[thread].process);
  };
  for (const HostEvent& host : all.host) {
    if (host.kind != HostEvent::Kind::other) add_process(host.thread);
  }
  for (const CallEvent& call : all.calls) add_process(call.thread);
  std::vector<bool> is_host(all.threads.size());
  for (std::size_t i = 0; i < is_host.size(); ++i) {
    is_host[i] = host_processes.contains(all.threads[i].process);
  }
  std::vector<int64_t> kept(all_.unknown_categories_.size()), left_out(kept.size()),
      first(kept.size());
  for (const EventPart::Unknown& unknown : all_.unknown_) {
    if (first[unknown.category] == 0) first[unknown.category] = unknown.object;
    ++(is_host[all.host[unknown.host_event].thread] ? kept : left_out)[unknown.category];
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::string& category = all_.unknown_categories_[i];
    if (left_out[i] > 0) all_.count_skipped(category, left_out[i]);
    const std::string reason = i == kMostUnknownCategories
                                   ? "other unknown categories"
                                   : fmt::format("unknown category \"{}\"", category);
    quality.add_rows(kEventTable, reason, kept[i] + left_out[i], first[i], [&] {
      return fmt::format("{} shown as host ranges, {} left out", kept[i], left_out[i]);
    });
  }
  std::vector<bool> is_left_out(all.host.size());
  for (std::size_t i = 0; i < is_left_out.size(); ++i) {
    const HostEvent& host = all.host[i];
    is_left_out[i] = host.kind == HostEvent::Kind::other && !is_host[host.thread];
  }
  remove_host(is_left_out);
}

void EventList::remove_host(const std::vector<bool>& is_left_out) {
  TraceEvents& all = all_.events_;
  std::vector<uint32_t> moved(all.host.size());
  uint32_t count = 0;
  for (std::size_t i = 0; i < all.host.size(); ++i) {
    moved[i] = count;
    if (!is_left_out[i]) all.host[count++] = all.host[i];
  }
  all.host.resize(count);
  std::vector<uint32_t> moved_collectives(all.collectives.size(), CollectiveEvent::kNoEvent);
  uint32_t collectives = 0;
  for (std::size_t i = 0; i < all.collectives.size(); ++i) {
    CollectiveEvent collective = all.collectives[i];
    if (collective.host_event != CollectiveEvent::kNoEvent) {
      if (is_left_out[collective.host_event]) continue;
      collective.host_event = moved[collective.host_event];
    }
    moved_collectives[i] = collectives;
    all.collectives[collectives++] = collective;
  }
  all.collectives.resize(collectives);
  for (KernelEvent& kernel : all.kernels) {
    if (kernel.collective == CollectiveEvent::kNoEvent) continue;
    kernel.collective = moved_collectives[kernel.collective];
  }
}

// One event years away would make all others lie too late to be read.
void EventList::leave_out_strays(QualityLog& quality) {
  TraceEvents& all = all_.events_;
  EventPart::Span& span = all_.span_;
  int64_t length = 0;
  if (span.events == 0) return;
  if (!__builtin_sub_overflow(span.time.stop_ns, span.time.start_ns, &length) &&
      length <= kLatestNs) {
    return;
  }
  std::vector<int64_t> starts;
  const auto for_each_list = [&all](const auto& apply) {
    apply(all.host);
    apply(all.calls);
    apply(all.kernels);
    apply(all.memcpys);
    apply(all.memsets);
    apply(all.syncs);
  };
  for_each_list([&starts](const auto& events) {
    for (const EventTime& event : events) starts.push_back(event.start_ns);
  });
  if (starts.empty()) return;
  const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
  std::ranges::nth_element(starts, middle);
  const int64_t middle_ns = *middle;
  const auto is_near = [middle_ns](int64_t time_ns) {
    int64_t from_middle = 0;
    return !__builtin_sub_overflow(time_ns, middle_ns, &from_middle) &&
           -kLatestNs / 2 <= from_middle && from_middle <= kLatestNs / 2;
  };
  const auto is_far = [&is_near](const EventTime& event) {
    return !is_near(event.start_ns) || !is_near(event.stop_ns);
  };
  const int64_t row = is_near(span.time.start_ns) ? span.last : span.first;
  std::vector<bool> is_left_out(all.host.size());
  for (std::size_t i = 0; i < is_left_out.size(); ++i) is_left_out[i] = is_far(all.host[i]);
  int64_t left_out = std::ranges::count(is_left_out, true);
  remove_host(is_left_out);
  const auto remove = [&](auto& events) {
    left_out += static_cast<int64_t>(std::erase_if(events, is_far));
  };
  for_each_list(remove);
  remove(all.modules);
  std::erase_if(all.allocations,
                [&](const AllocationEvent& event) { return !is_near(event.time_ns); });
  span.time = {INT64_MAX, INT64_MIN};
  const auto extend = [&span](const auto& events) {
    for (const EventTime& event : events) {
      span.time.start_ns = std::min(span.time.start_ns, event.start_ns);
      span.time.stop_ns = std::max(span.time.stop_ns, event.stop_ns);
    }
  };
  for_each_list(extend);
  extend(all.modules);
  if (span.time.start_ns > span.time.stop_ns) span.time = {middle_ns, middle_ns};
  quality.add_rows(kEventTable, "an event more than 52 days from the others is left out",
                   std::max<int64_t>(left_out, 1), row,
                   [] { return std::string("it begins or stops far away"); });
}

void EventList::leave_out_zero_times(QualityLog& quality) {
  TraceEvents& all = all_.events_;
  if (all_.zero_span_.events == 0) return;
  const auto is_at_zero = [](const GpuEvent& event) {
    return event.start_ns == 0 && event.stop_ns == 0;
  };
  const auto count_zeros = [&](const auto& events) {
    return std::ranges::count_if(events, is_at_zero);
  };
  const int64_t zeros =
      count_zeros(all.kernels) + count_zeros(all.memcpys) + count_zeros(all.memsets);
  const auto gpu_events =
      static_cast<int64_t>(all.kernels.size() + all.memcpys.size() + all.memsets.size());
  if (zeros == gpu_events) {
    all_.span_.add(all_.zero_span_, 0);
    return;
  }
  std::erase_if(all.kernels, is_at_zero);
  std::erase_if(all.memcpys, is_at_zero);
  std::erase_if(all.memsets, is_at_zero);
  quality.add_rows(kEventTable, "GPU activity without a time is left out", zeros, all_.first_zero_,
                   [] { return std::string("ts is 0"); });
}

// A GPU that is only known by a text gets the least number that no other has.
void EventList::number_devices() {
  TraceEvents& all = all_.events_;
  std::set<int64_t> used;
  std::unordered_map<int64_t, int64_t> numbers;
  const auto for_each_device = [&all](const auto& use) {
    const auto use_all = [&use](auto& events) {
      for (GpuEvent& event : events) use(event.device);
    };
    use_all(all.kernels);
    use_all(all.memcpys);
    use_all(all.memsets);
    use_all(all.syncs);
  };
  bool has_texts = false;
  for_each_device([&](int64_t device) {
    has_texts = has_texts || stands_for_text(device);
    if (device >= 0 && !used.contains(device)) used.insert(device);
  });
  if (!has_texts) return;
  int64_t next = 0;
  for_each_device([&](int64_t& device) {
    if (!stands_for_text(device)) return;
    const auto [number, is_new] = numbers.try_emplace(device, 0);
    if (is_new) {
      while (used.contains(next)) ++next;
      number->second = next++;
    }
    device = number->second;
  });
}

void EventList::name_threads() {
  TraceEvents& all = all_.events_;
  std::vector<bool> is_used(all.threads.size());
  const auto use = [&is_used](const auto& events) {
    base::stop_point();
    for (const auto& event : events) is_used[event.thread] = true;
  };
  const auto for_each_list = [&all](const auto& apply) {
    apply(all.host);
    apply(all.calls);
    apply(all.modules);
    apply(all.allocations);
  };
  for_each_list(use);
  std::vector<uint32_t> numbers(all.threads.size());
  std::vector<TraceEventThread> used;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % kRowsBetweenStops == 0) base::stop_point();
    numbers[i] = static_cast<uint32_t>(used.size());
    if (!is_used[i]) continue;
    TraceEventThread& thread = used.emplace_back(std::move(all.threads[i]));
    const auto process = all_.process_names_.find(thread.process);
    if (process != all_.process_names_.end()) thread.process_name = process->second;
    const auto name = all_.thread_names_.find({thread.process, thread.thread});
    if (name != all_.thread_names_.end()) thread.thread_name = name->second;
  }
  if (used.size() != numbers.size()) {
    for_each_list([&numbers](auto& events) {
      for (auto& event : events) event.thread = numbers[event.thread];
    });
  }
  all.threads = std::move(used);
}

TraceEvents EventList::finish(QualityLog& quality) && {
  for (std::size_t i = 0; i < kEventProblems; ++i) {
    const EventPart::Note& note = all_.notes_[i];
    if (note.rows == 0) continue;
    quality.add_rows(kEventTable, kProblems[i], note.rows, note.first,
                     [&] { return note.example; });
  }
  close_ranges(quality);
  base::stop_point();
  leave_out_unknown(quality);
  base::stop_point();
  leave_out_zero_times(quality);
  base::stop_point();
  leave_out_strays(quality);
  base::stop_point();
  number_devices();
  base::stop_point();
  name_threads();
  TraceEvents& all = all_.events_;
  all.op_inputs.assign(all_.inputs_.keys().begin(), all_.inputs_.keys().end());
  all.x_events = all_.span_.events;
  if (all.x_events > 0) all.span = all_.span_.time;
  return std::move(all);
}

bool EventList::names_process(std::string_view prefix) const {
  return std::ranges::any_of(all_.process_names_,
                             [&](const auto& name) { return name.second.starts_with(prefix); });
}

}  // namespace dlview::import::pytorch
