#include "import/pytorch/sample_columns.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "base/sort_runs.h"
#include "base/untouched_vector.h"
#include "import/pytorch/column_of.h"

namespace dlview::import::pytorch {
namespace {

using profile::Row;
using profile::ThreadId;

// A process of the host may have the number of a GPU: then the owner of the counter is unknown.
bool is_gpu(const CounterSeries& series, const SampledRows& rows) {
  const std::string_view process = rows.builder.text(series.process);
  return std::ranges::any_of(
             rows.trace.gpus,
             [&](const profile::TraceGpu& gpu) { return gpu.id == series.device; }) &&
         std::ranges::none_of(rows.events.threads, [&](const TraceEventThread& thread) {
           return thread.process == process;
         });
}

}  // namespace

void add_allocations(const SampledRows& rows) {
  const base::LargeVector<AllocationEvent>& events = rows.events.allocations;
  const std::size_t count = events.size();
  base::UntouchedVector<Row> order(count);
  std::iota(order.begin(), order.end(), Row{0});
  base::sort_runs(std::span(order),
                  [&](Row a, Row b) { return events[a].time_ns < events[b].time_ns; });
  const auto numbers = [&](int64_t AllocationEvent::*field) {
    return column_of<int64_t>(count, [&, field](std::size_t i) { return events[order[i]].*field; });
  };
  profile::TraceAllocations& table = rows.trace.allocations;
  table.time_ns = column_of<int64_t>(
      count, [&](std::size_t i) { return since(rows.origin_ns, events[order[i]].time_ns); });
  table.thread = column_of<ThreadId>(
      count, [&](std::size_t i) { return rows.threads[events[order[i]].thread]; });
  table.bytes = numbers(&AllocationEvent::bytes);
  table.total_allocated = numbers(&AllocationEvent::total_allocated);
  table.total_reserved = numbers(&AllocationEvent::total_reserved);
  table.address = numbers(&AllocationEvent::address);
  table.device_type = numbers(&AllocationEvent::device_type);
  table.device = numbers(&AllocationEvent::device);
}

void add_counters(const SampledRows& rows) {
  const base::LargeVector<CounterEvent>& events = rows.events.counters;
  base::UntouchedVector<Row> order(events.size());
  std::iota(order.begin(), order.end(), Row{0});
  base::sort_runs(std::span(order), [&](Row a, Row b) {
    return std::pair(events[a].series, events[a].time_ns) <
           std::pair(events[b].series, events[b].time_ns);
  });
  profile::TraceCounters& table = rows.trace.counters;
  table.time_ns = column_of<int64_t>(
      order.size(), [&](std::size_t i) { return since(rows.origin_ns, events[order[i]].time_ns); });
  table.value =
      column_of<double>(order.size(), [&](std::size_t i) { return events[order[i]].value; });
  std::vector<std::size_t> counts(rows.events.counter_series.size());
  for (const CounterEvent& event : events) ++counts[event.series];
  std::size_t first = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const CounterSeries& each = rows.events.counter_series[i];
    profile::TraceCounters::Series& series = table.series.emplace_back();
    series.counter = rows.builder.text(each.counter);
    series.value = rows.builder.text(each.value);
    series.process = rows.builder.text(each.process);
    if (is_gpu(each, rows)) series.device = each.device;
    series.first = std::exchange(first, first + counts[i]);
  }
}

}  // namespace dlview::import::pytorch
