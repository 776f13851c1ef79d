#include "import/capture/events.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/blocks.h"
#include "import/capture/kernel_rows.h"
#include "import/capture/rows_at_once.h"
#include "import/capture/trace_values.h"

namespace dlview::import::capture {

using profile::GlobalId;
using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::Row;
using profile::StringId;

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

Row EventAdder::thread_row(GlobalId thread) {
  const auto [entry, added] = threads_.try_emplace(thread, kNoRow);
  if (added) {
    entry->second =
        builder_.intern_thread({profile::process_id_of(thread), profile::thread_id_of(thread)});
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
  if (!fits) note_too_much(table_name(work.kind), work.row);
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
       .thread = thread_row(thread_of(trace_, work)),
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
                     .thread = thread_row(thread_of(trace_, work)),
                     .source_id = int64_t{work.row} + 1});
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
  if (!budget_.add_api(time)) return note_too_much(kApiCallTable, call);
  builder_.add_api_call({.instance = instance,
                         .name = names_.find(call),
                         .api_start_ns = time.start_ns,
                         .api_stop_ns = time.stop_ns,
                         .thread = thread_row(value_or(calls.thread, call, kNoValue)),
                         .source_id = int64_t{call} + 1});
}

}  // namespace dlview::import::capture
