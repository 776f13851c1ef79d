#include "aggregate/host_events.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "aggregate/iterations.h"
#include "aggregate/row_filter.h"
#include "aggregate/tensor_core_uses.h"
#include "base/stop_point.h"

namespace dlview::aggregate {
namespace {

using profile::EventForest;
using profile::kNoRow;
using profile::Profile;
using profile::Row;
using profile::ThreadId;

}  // namespace

EventForest forest_of_events(const Profile& profile,
                             const std::function<bool(profile::HostEventKind)>& takes) {
  std::vector<Row> rows;
  static const profile::TraceNvtx kNone;
  const profile::TraceNvtx& events = profile.trace ? profile.trace->nvtx : kNone;
  for (std::size_t row = 0; row < events.event_kind.size(); ++row) {
    if (row % kEventsBetweenStops == 0) base::stop_point();
    const bool has_time = events.start_ns[row] <= events.end_ns[row];
    if (has_time && takes(events.event_kind[row])) rows.push_back(static_cast<Row>(row));
  }
  return EventForest(
      rows.size(), [&](std::size_t i) { return events.thread[rows[i]]; },
      [&](std::size_t i) -> EventForest::Event {
        return {events.start_ns[rows[i]], events.end_ns[rows[i]], rows[i]};
      });
}

std::vector<Row> open_at(const EventForest& forest, std::span<const HostMoment> moments) {
  std::vector<Row> order(moments.size());
  std::iota(order.begin(), order.end(), Row{0});
  base::stop_point();
  std::ranges::sort(order, {},
                    [moments](Row i) { return std::pair(moments[i].thread, moments[i].time_ns); });
  std::vector<Row> places(moments.size(), kNoRow);
  for (std::size_t next = 0; next < order.size();) {
    const ThreadId thread = moments[order[next]].thread;
    profile::OpenEvents open(forest, thread);
    for (; next < order.size() && moments[order[next]].thread == thread; ++next) {
      if (next % kEventsBetweenStops == 0) base::stop_point();
      places[order[next]] = open.at(moments[order[next]].time_ns);
    }
  }
  return places;
}

std::vector<bool> outermost_of_key(const EventForest& forest, std::span<const uint32_t> keys,
                                   std::size_t key_count) {
  std::vector<bool> is_outermost(forest.size());
  std::vector<uint32_t> open_of_key(key_count);
  std::vector<Row> open;  // the events around the place
  for (std::size_t place = 0; place < forest.size(); ++place) {
    if (place % kEventsBetweenStops == 0) base::stop_point();
    for (; !open.empty() && open.back() != forest.parent(place); open.pop_back()) {
      --open_of_key[keys[open.back()]];
    }
    is_outermost[place] = open_of_key[keys[place]]++ == 0;
    open.push_back(static_cast<Row>(place));
  }
  return is_outermost;
}

void add_to_events_around(const EventForest& forest, std::vector<int64_t>& values) {
  for (std::size_t place = forest.size(); place-- > 0;) {
    if (forest.parent(place) != kNoRow) values[forest.parent(place)] += values[place];
  }
}

TraceThreadIds::TraceThreadIds(const Profile& profile) : profile_(profile) {
  if (!profile.trace) return;
  const auto& threads = profile.trace->threads;
  for (Row row = 0; row < threads.size(); ++row) {
    const ThreadId id =
        profile::make_thread_id(threads[row].process, profile::TraceThreadIndex(row));
    ids_.try_emplace(key_of(profile.trace->numbers_of(id)), id);
  }
}

ThreadId TraceThreadIds::of(profile::ThreadIndex thread) const {
  const auto found = ids_.find(key_of(profile_.threads[thread]));
  return found == ids_.end() ? profile::kNoValue : found->second;
}

std::vector<bool> ops_with_launches(const Profile& profile) {
  // GPU activity of ops of this type has no launch in the file.
  std::vector<bool> has_launch(profile.ops.size());
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    has_launch[op] =
        !profile.is_unassociated(op) || profile.text(profile.ops.type[op]) != "no_launch";
  }
  return has_launch;
}

HostTimeOfRange::HostTimeOfRange(const Aggregation& aggregation) {
  const Iterations& iterations = aggregation.iteration_table->iterations;
  if (iterations.key_instances == 0) return;
  const IterationRange& range = aggregation.selection.range;
  time_ = {iterations.rows[static_cast<std::size_t>(range.first)].host_time().start_ns,
           iterations.rows[static_cast<std::size_t>(range.last)].host_time().stop_ns};
}

std::vector<LaunchedActivity> launched_activity(const Profile& profile,
                                                const Aggregation& aggregation,
                                                const TraceThreadIds& threads) {
  const std::vector<Iteration>& iterations = aggregation.iteration_table->iterations.rows;
  const IterationRange& range = aggregation.selection.range;
  const profile::InstanceIndex first =
      iterations[static_cast<std::size_t>(range.first)].first_instance;
  const profile::InstanceIndex last =
      iterations[static_cast<std::size_t>(range.last)].last_instance;
  const RowFilter filter(profile, aggregation.selection.filters);
  const std::vector<bool> has_launch = ops_with_launches(profile);
  const auto is_launched = [&](profile::InstanceIndex instance) {
    return has_launch[profile.instances.op[instance]];
  };
  std::vector<ThreadId> ids;
  for (profile::ThreadIndex thread{0}; thread < profile.threads.size(); ++thread) {
    ids.push_back(threads.of(thread));
  }
  std::vector<LaunchedActivity> activity;
  const profile::Kernels& kernels = profile.kernels;
  const profile::KernelIndex last_kernel = profile.instances.first_kernel[last];
  const std::vector<profile::KernelIndex> unknown = kernels_of_unknown_use(profile);
  auto next_unknown = unknown.begin();
  for (auto i = profile.instances.first_kernel[first]; i < last_kernel; ++i) {
    if (i % kEventsBetweenStops == 0) base::stop_point();
    if (!is_launched(kernels.instance[i]) || !filter.counts_kernel(i)) continue;
    while (next_unknown != unknown.end() && *next_unknown < i) ++next_unknown;
    activity.push_back({{ids[profile.launches.thread[kernels.launch[i]]], kernels.api_start_ns[i]},
                        kernels.gpu_stop_ns[i] - kernels.gpu_start_ns[i],
                        kernels.uses_tensor_cores[i] != 0,
                        next_unknown != unknown.end() && *next_unknown == i});
  }
  const profile::MemoryOps& copies = profile.memory_ops;
  const profile::MemoryOpIndex last_copy = profile.instances.first_memory_op[last];
  for (auto i = profile.instances.first_memory_op[first]; i < last_copy; ++i) {
    if (i % kEventsBetweenStops == 0) base::stop_point();
    if (!is_launched(copies.instance[i]) || !filter.counts_memory_op(i)) continue;
    activity.push_back({{ids[copies.thread[i]], copies.api_start_ns[i]},
                        copies.gpu_stop_ns[i] - copies.gpu_start_ns[i]});
  }
  return activity;
}

}  // namespace dlview::aggregate
