#include "import/pytorch/event_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/utf8.h"
#include "import/pytorch/event_category.h"

namespace dlview::import::pytorch {
namespace {

constexpr std::size_t kExampleBytes = 60;
constexpr StringId kNoText = UINT32_MAX;

// Of `pid` and `tid`. Programs that load and save a trace write 5 as 5.0.
std::string_view raw_id(const JsonValue& id) {
  std::string_view raw = id.raw;
  if (id.kind == JsonValue::Kind::number && raw.ends_with(".0")) raw.remove_suffix(2);
  return raw;
}

}  // namespace

std::string id_text(const JsonValue& id) {
  return id.has_escapes ? unescaped(id.raw) : std::string(raw_id(id));
}

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

}  // namespace dlview::import::pytorch
