#include "import/pytorch/event_list.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/stop_point.h"
#include "import/times.h"

namespace dlview::import::pytorch {
namespace {

constexpr const char* kEventTable = "traceEvents";
// More unknown categories count as one.
constexpr uint32_t kMostUnknownCategories = 64;
// Each takes a row of the Timeline; values of more are left out.
constexpr uint32_t kMostCounterSeries = 256;
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
  const std::array<std::size_t, 9> before{
      all.host.size(),    all.calls.size(),     all.modules.size(),
      all.kernels.size(), all.memcpys.size(),   all.memsets.size(),
      all.syncs.size(),   all.overheads.size(), 0};
  const auto rename_number = [&texts](int64_t& number) {
    if (!stands_for_text(number)) return;
    const auto text = static_cast<uint64_t>(int64_t{INT32_MIN} - 1 - number);
    number = text < texts.size() ? number_of_text(texts[text]) : kNoValue;
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
  add_with(all.memcpys, std::move(more.memcpys), growth, [&](MemoryEvent& memory) {
    rename_gpu(memory);
    rename(memory.direction);
  });
  add_with(all.memsets, std::move(more.memsets), growth, rename_gpu);
  add_with(all.syncs, std::move(more.syncs), growth, [&](SyncEvent& sync) {
    rename_gpu(sync);
    rename(sync.kind);
  });
  add_with(all.overheads, std::move(more.overheads), growth,
           [&](OverheadEvent& overhead) { rename(overhead.name); });
  add_with(all.allocations, std::move(more.allocations), growth,
           [&](AllocationEvent& allocation) { move_thread(allocation.thread); });
  std::vector<uint32_t> series;
  series.reserve(part.counter_series_.keys().size());
  for (CounterSeries each : part.counter_series_.keys()) {
    for (StringId* const id : {&each.counter, &each.value, &each.process}) rename(*id);
    rename_number(each.device);
    series.push_back(all_.counter_series_.find(each));
  }
  const auto left_out = std::erase_if(more.counters, [&series](const CounterEvent& counter) {
    return series[counter.series] >= kMostCounterSeries;
  });
  if (left_out > 0) all_.count_skipped("counters", static_cast<int64_t>(left_out));
  add_with(all.counters, std::move(more.counters), growth,
           [&series](CounterEvent& counter) { counter.series = series[counter.series]; });
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
      case Mark::List::overheads:
        return &all.overheads[mark.index];
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
    apply(all.overheads);
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
  std::erase_if(all.counters, [&](const CounterEvent& event) { return !is_near(event.time_ns); });
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
  for (CounterSeries& series : all.counter_series) {
    const auto number = numbers.find(series.device);
    if (number != numbers.end()) series.device = number->second;
  }
}

void EventList::name_threads() {
  TraceEvents& all = all_.events_;
  for (std::size_t i = 0; i < all.threads.size(); ++i) {
    if (i % kRowsBetweenStops == 0) base::stop_point();
    TraceEventThread& thread = all.threads[i];
    thread.is_used = false;
    const auto process = all_.process_names_.find(thread.process);
    if (process != all_.process_names_.end()) thread.process_name = process->second;
    const auto name = all_.thread_names_.find({thread.process, thread.thread});
    if (name != all_.thread_names_.end()) thread.thread_name = name->second;
  }
  const auto use = [&all](const auto& events) {
    base::stop_point();
    for (const auto& event : events) all.threads[event.thread].is_used = true;
  };
  use(all.host);
  use(all.calls);
  use(all.modules);
  use(all.allocations);
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
  const std::vector<CounterSeries>& series = all_.counter_series_.keys();
  all_.events_.counter_series.assign(
      series.begin(),
      series.begin() + std::min<std::ptrdiff_t>(std::ssize(series), kMostCounterSeries));
  number_devices();
  base::stop_point();
  name_threads();
  TraceEvents& all = all_.events_;
  all.op_inputs.assign(all_.inputs_.keys().begin(), all_.inputs_.keys().end());
  all.x_events = all_.span_.events;
  if (all.x_events > 0) all.span = all_.span_.time;
  return std::move(all);
}

}  // namespace dlview::import::pytorch
