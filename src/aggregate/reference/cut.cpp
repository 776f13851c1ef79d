#include "aggregate/reference/cut.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/reference/gpu_split.h"

namespace dlview::aggregate::reference {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using profile::UserRangeIndex;

using ThreadKey = std::pair<int64_t, int64_t>;  // process id, thread id
using Bounds = std::pair<int64_t, int64_t>;     // both inclusive

bool is_key_op(const Profile& profile, OpIndex op, const std::string& key) {
  return !key.empty() &&
         (profile.text(profile.ops.id[op]) == key || profile.text(profile.ops.name[op]) == key);
}

bool may_cut(const profile::Thread& thread, const std::optional<Clock>& clock) {
  if (!clock) return true;
  return clock->process_id == thread.process_id &&
         (!clock->thread_id || *clock->thread_id == thread.thread_id);
}

// Of op instances: one that only makes API calls does not count.
bool has_one_process(const Profile& profile) {
  std::set<int64_t> processes;
  for (const Row thread : profile.instances.thread) {
    processes.insert(profile.threads[thread].process_id);
  }
  return processes.size() <= 1;
}

// The instances of the key op; of a profile of several processes, or with a clock, only those of
// the thread that has most of them.
std::vector<InstanceIndex> key_instances(const Profile& profile, const std::string& key,
                                         const std::optional<Clock>& clock) {
  std::set<OpIndex> key_ops;
  for (OpIndex op{0}; op < profile.ops.size(); ++op) {
    if (is_key_op(profile, op, key)) key_ops.insert(op);
  }
  std::vector<InstanceIndex> all;
  std::map<ThreadKey, std::vector<InstanceIndex>> by_thread;
  for (InstanceIndex i{0}; i < profile.instances.size(); ++i) {
    if (!key_ops.contains(profile.instances.op[i])) continue;
    const profile::Thread& thread = profile.threads[profile.instances.thread[i]];
    if (!may_cut(thread, clock)) continue;
    all.push_back(i);
    by_thread[{thread.process_id, thread.thread_id}].push_back(i);
  }
  if (has_one_process(profile) && !clock) return all;

  std::vector<InstanceIndex> most;
  for (const auto& [thread, rows] : by_thread) {
    if (rows.size() > most.size()) most = rows;  // ascending threads: the lowest of equals stays
  }
  return most;
}

std::vector<Bounds> bounds_at_starts(const Profile& profile,
                                     const std::vector<InstanceIndex>& keys) {
  std::set<int64_t> starts;
  for (const InstanceIndex i : keys) starts.insert(profile.instances.cpu_start_ns[i]);
  std::vector<Bounds> bounds;
  int64_t start = profile.first_ns;
  for (const int64_t next : starts) {
    bounds.emplace_back(start, next - 1);
    start = next;
  }
  bounds.emplace_back(start, profile.last_ns);
  return bounds;
}

std::vector<Bounds> bounds_at_ends(const Profile& profile, const std::vector<InstanceIndex>& keys) {
  std::set<int64_t> stops;
  for (const InstanceIndex i : keys) stops.insert(profile.instances.cpu_stop_ns[i]);
  std::vector<Bounds> bounds;
  int64_t start = profile.first_ns;
  for (const int64_t stop : stops) {
    bounds.emplace_back(start, stop);
    start = stop + 1;
  }
  bounds.emplace_back(start, profile.last_ns);
  return bounds;
}

// Of the thread that has most ranges of that name or path; a range inside another one does not
// count.
struct RangesOfThread {
  std::vector<KeyRange> ranges;
  int64_t process_id = 0;
};
RangesOfThread key_ranges(const Profile& profile, const Cut& cut) {
  if (cut.key_op.empty()) return {};
  const profile::UserRanges& ranges = profile.user_ranges;
  std::map<ThreadKey, std::vector<KeyRange>> by_thread;
  for (UserRangeIndex i{0}; i < ranges.size(); ++i) {
    const bool is_key =
        profile.text(ranges.name[i]) == cut.key_op || profile.text(ranges.path[i]) == cut.key_op;
    const profile::Thread& thread = profile.threads[ranges.thread[i]];
    if (!is_key || !may_cut(thread, cut.clock)) continue;
    by_thread[{thread.process_id, thread.thread_id}].push_back(
        {ranges.start_ns[i], ranges.stop_ns[i], ranges.number[i]});
  }
  RangesOfThread most;
  for (const auto& [thread, all] : by_thread) {
    std::vector<KeyRange> outer;
    for (const KeyRange& range : all) {
      const bool inside = !outer.empty() && range.start_ns < outer.back().stop_ns;
      if (!inside) outer.push_back(range);
    }
    if (outer.size() > most.ranges.size()) most = {outer, thread.first};
  }
  return most;
}

// From each range's start to the next one's, the last to its end; or from the end of the range
// before, the first from its own start.
std::vector<Bounds> bounds_at_ranges(const std::vector<KeyRange>& ranges, CutKind kind) {
  std::vector<Bounds> bounds;
  for (const KeyRange& range : ranges) bounds.emplace_back(range.start_ns, range.stop_ns);
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (kind == CutKind::end) {
      bounds[i].first = ranges[i - 1].stop_ns + 1;
    } else {
      bounds[i - 1].second = ranges[i].start_ns - 1;
    }
  }
  return bounds;
}

std::vector<Bounds> stored_bounds(const profile::StoredAggregation& stored) {
  std::vector<Bounds> bounds;
  for (const auto& iteration : stored.iterations) {
    bounds.emplace_back(iteration.start_ns, iteration.stop_ns);
  }
  return bounds;
}

// Rows [first, last) are the instances that begin in [start_ns, stop_ns].
Iteration with_instances(const Profile& profile, const Bounds& bounds) {
  const auto& starts = profile.instances.cpu_start_ns;
  const auto first = std::lower_bound(starts.begin(), starts.end(), bounds.first);
  const auto last = std::upper_bound(first, starts.end(), bounds.second);
  return {bounds.first, bounds.second, InstanceIndex(static_cast<Row>(first - starts.begin())),
          InstanceIndex(static_cast<Row>(last - starts.begin()))};
}

}  // namespace

Iterations find_iterations(const Profile& profile, const Cut& cut) {
  const bool stored =
      cut.kind == CutKind::stored && cut.stored_index < profile.stored_aggregations.size();
  const std::string& key =
      stored ? profile.stored_aggregations[cut.stored_index].key_op : cut.key_op;
  const std::optional<Clock> clock = stored ? std::nullopt : cut.clock;
  const std::vector<InstanceIndex> keys = key_instances(profile, key, clock);
  const RangesOfThread of_thread = stored ? RangesOfThread{} : key_ranges(profile, cut);
  const std::vector<KeyRange>& ranges = of_thread.ranges;

  Iterations result;
  result.key_instances = static_cast<int64_t>(ranges.empty() ? keys.size() : ranges.size());
  std::vector<Bounds> bounds;
  if (!ranges.empty()) {
    const std::vector<Bounds> all = bounds_at_ranges(ranges, cut.kind);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].second < all[i].first) continue;
      bounds.push_back(all[i]);
      result.ranges.push_back(ranges[i]);
    }
    for (UserRangeIndex i{0}; i < profile.user_ranges.size(); ++i) {
      const std::string_view name = profile.text(profile.user_ranges.name[i]);
      const bool is_path = profile.text(profile.user_ranges.path[i]) == key;
      if (is_path && result.range_name.empty()) result.range_name = name;
      if (name == key) result.range_name = key;
    }
  } else if (stored) {
    bounds = stored_bounds(profile.stored_aggregations[cut.stored_index]);
  } else {
    bounds =
        cut.kind == CutKind::end ? bounds_at_ends(profile, keys) : bounds_at_starts(profile, keys);
    std::erase_if(bounds, [](const Bounds& b) { return b.second < b.first; });
  }
  if (bounds.empty()) bounds.emplace_back(profile.first_ns, profile.last_ns);
  for (const Bounds& b : bounds) result.rows.push_back(with_instances(profile, b));
  if (cut.split_by == SplitBy::host || cut.kind == CutKind::stored) return result;
  std::optional<int64_t> process_id;
  if (!has_one_process(profile) && !ranges.empty()) {
    process_id = of_thread.process_id;
  } else if (!has_one_process(profile) && !keys.empty()) {
    process_id = profile.threads[profile.instances.thread[keys.front()]].process_id;
  }
  return times_on_gpu(profile, process_id, result);
}

Outside work_outside(const Profile& profile, const Iterations& iterations) {
  const int64_t first_ns = iterations.rows.front().start_ns;
  const int64_t last_ns = iterations.rows.back().stop_ns;
  Outside outside;
  if (profile.first_ns < first_ns) outside.before.duration_ns = first_ns - profile.first_ns;
  if (profile.last_ns > last_ns) outside.after.duration_ns = profile.last_ns - last_ns;
  for (KernelIndex k{0}; k < profile.kernels.size(); ++k) {
    const int64_t start_ns = profile.instances.cpu_start_ns[profile.kernels.instance[k]];
    const int64_t duration_ns = profile.kernels.gpu_stop_ns[k] - profile.kernels.gpu_start_ns[k];
    outside.kernels += 1;
    outside.kernel_ns += duration_ns;
    OutsidePart inside;
    OutsidePart& part = start_ns < iterations.rows.front().host_time().start_ns ? outside.before
                        : start_ns > iterations.rows.back().host_time().stop_ns ? outside.after
                                                                                : inside;
    part.kernels += 1;
    part.kernel_ns += duration_ns;
  }
  return outside;
}

std::vector<uint32_t> shortest_first(const Iterations& iterations) {
  std::set<std::pair<int64_t, uint32_t>> durations;
  for (uint32_t i = 0; i < iterations.rows.size(); ++i) {
    durations.emplace(iterations.rows[i].duration_ns(), i);
  }
  std::vector<uint32_t> order;
  for (const auto& [duration_ns, number] : durations) order.push_back(number);
  return order;
}

const profile::StoredAggregation* stored_aggregation(const Profile& profile,
                                                     const Iterations& iterations,
                                                     const IterationRange& range) {
  std::vector<Bounds> wanted;
  for (const Iteration& row : iterations.rows) wanted.emplace_back(row.start_ns, row.stop_ns);
  for (const profile::StoredAggregation& stored : profile.stored_aggregations) {
    const IterationRange stored_range{stored.first_iteration, stored.last_iteration};
    if (stored_range == range && stored_bounds(stored) == wanted) return &stored;
  }
  return nullptr;
}

std::vector<InstanceInRange> instances_in(const Iterations& iterations, const IterationRange& range,
                                          const Kept& kept) {
  std::vector<InstanceInRange> found;
  for (int64_t i = range.first; i <= range.last; ++i) {
    const Iteration& iteration = iterations.rows[static_cast<std::size_t>(i)];
    for (InstanceIndex instance = iteration.first_instance; instance < iteration.last_instance;
         ++instance) {
      if (kept.instance(instance)) found.push_back({instance, i});
    }
  }
  return found;
}

}  // namespace dlview::aggregate::reference
