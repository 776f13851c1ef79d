#include "aggregate/iterations.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "aggregate/key_ops.h"
#include "base/intervals.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;
using profile::Row;

// Instances of every op whose id or name is the key op, as rows in order of cpu_start.
std::vector<Row> key_instances(const Profile& profile, std::string_view key_op) {
  if (key_op.empty()) return {};
  std::vector<bool> is_key(profile.ops.size());
  for (std::size_t op = 0; op < profile.ops.size(); ++op) {
    is_key[op] =
        profile.text(profile.ops.id[op]) == key_op || profile.text(profile.ops.name[op]) == key_op;
  }
  std::vector<Row> instances;
  for (Row i = 0; i < profile.instances.size(); ++i) {
    if (is_key[profile.instances.op[i]]) instances.push_back(i);
  }
  return instances;
}

// User ranges of that name or path, in order of start: those of the thread that has most of them,
// without ranges inside another one.
std::vector<base::Interval> key_ranges(const Profile& profile, std::string_view key) {
  if (key.empty()) return {};
  const profile::UserRanges& ranges = profile.user_ranges;
  std::map<std::pair<int64_t, int64_t>, std::vector<base::Interval>> by_thread;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (profile.text(ranges.name[i]) != key && profile.text(ranges.path[i]) != key) continue;
    const profile::Thread& thread = profile.threads[ranges.thread[i]];
    std::vector<base::Interval>& found = by_thread[{thread.process_id, thread.thread_id}];
    if (found.empty() || found.back().stop_ns <= ranges.start_ns[i]) {
      found.push_back({ranges.start_ns[i], ranges.stop_ns[i]});
    }
  }
  std::vector<base::Interval> most;
  for (auto& [thread, found] : by_thread) {
    if (found.size() > most.size()) most = std::move(found);
  }
  return most;
}

// decisions.md 5: nothing between two ranges is lost, and what lies before the first or after the
// last is in no iteration.
std::vector<Iteration> cut_at_ranges(CutKind kind, const std::vector<base::Interval>& ranges) {
  std::vector<Iteration> rows;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const bool is_first = i == 0, is_last = i + 1 == ranges.size();
    if (kind == CutKind::end) {
      rows.push_back(
          {is_first ? ranges[i].start_ns : ranges[i - 1].stop_ns + 1, ranges[i].stop_ns});
    } else {
      rows.push_back(
          {ranges[i].start_ns, is_last ? ranges[i].stop_ns : ranges[i + 1].start_ns - 1});
    }
  }
  std::erase_if(rows, [](const Iteration& row) { return row.stop_ns < row.start_ns; });
  return rows;
}

bool has_several_processes(const Profile& profile) {
  std::set<int64_t> processes;
  for (const Row thread : profile.instances.thread) {
    processes.insert(profile.threads[thread].process_id);
    if (processes.size() > 1) return true;
  }
  return false;
}

// decisions.md 4: of several processes, the (process, thread) with the most key instances cuts.
std::vector<Row> of_busiest_thread(const Profile& profile, const std::vector<Row>& instances) {
  std::map<std::pair<int64_t, int64_t>, std::vector<Row>> by_thread;
  for (const Row i : instances) {
    const profile::Thread& thread = profile.threads[profile.instances.thread[i]];
    by_thread[{thread.process_id, thread.thread_id}].push_back(i);
  }
  const std::vector<Row>* busiest = nullptr;
  for (const auto& [thread, rows] : by_thread) {
    if (busiest == nullptr || rows.size() > busiest->size()) busiest = &rows;
  }
  return busiest == nullptr ? std::vector<Row>{} : *busiest;
}

// Spans between the last instants of consecutive iterations; an empty first or last one is left
// out.
std::vector<Iteration> between(const std::set<int64_t>& stops_ns, int64_t first_ns,
                               int64_t last_ns) {
  std::vector<Iteration> rows;
  int64_t start_ns = first_ns;
  for (const int64_t stop_ns : stops_ns) {
    if (stop_ns >= start_ns) rows.push_back({start_ns, stop_ns});
    start_ns = stop_ns + 1;
  }
  if (start_ns <= last_ns || rows.empty()) rows.push_back({start_ns, std::max(start_ns, last_ns)});
  return rows;
}

std::vector<Iteration> cut_at(const Profile& profile, CutKind kind, const std::vector<Row>& keys) {
  std::set<int64_t> stops_ns;
  for (const Row i : keys) {
    stops_ns.insert(kind == CutKind::end ? profile.instances.cpu_stop_ns[i]
                                         : profile.instances.cpu_start_ns[i] - 1);
  }
  return between(stops_ns, profile.first_ns, profile.last_ns);
}

std::vector<Iteration> stored_rows(const profile::StoredAggregation& stored) {
  std::vector<Iteration> rows;
  for (const auto& iteration : stored.iterations) {
    rows.push_back({iteration.start_ns, iteration.stop_ns});
  }
  return rows;
}

bool same_spans(const std::vector<Iteration>& rows, const profile::StoredAggregation& stored) {
  return std::equal(rows.begin(), rows.end(), stored.iterations.begin(), stored.iterations.end(),
                    [](const Iteration& a, const auto& b) {
                      return a.start_ns == b.start_ns && a.stop_ns == b.stop_ns;
                    });
}

void assign_instances(const Profile& profile, std::vector<Iteration>& rows) {
  const auto starts = profile.instances.cpu_start_ns.span();
  for (Iteration& row : rows) {
    const auto first = std::lower_bound(starts.begin(), starts.end(), row.start_ns);
    const auto last = std::upper_bound(first, starts.end(), std::max(row.start_ns, row.stop_ns));
    row.first_instance = static_cast<Row>(first - starts.begin());
    row.last_instance = static_cast<Row>(last - starts.begin());
  }
}

}  // namespace

Iterations cut_iterations(const Profile& profile, const Cut& cut) {
  const profile::StoredAggregation* stored = nullptr;
  if (cut.kind == CutKind::stored && cut.stored_index < profile.stored_aggregations.size()) {
    stored = &profile.stored_aggregations[cut.stored_index];
  }
  if (stored == nullptr) {
    const std::vector<base::Interval> ranges = key_ranges(profile, cut.key_op);
    if (!ranges.empty()) {
      Iterations result{cut_at_ranges(cut.kind, ranges), static_cast<int64_t>(ranges.size())};
      assign_instances(profile, result.rows);
      return result;
    }
  }
  std::vector<Row> keys = key_instances(profile, stored == nullptr ? cut.key_op : stored->key_op);
  if (has_several_processes(profile)) keys = of_busiest_thread(profile, keys);

  Iterations result;
  result.key_instances = static_cast<int64_t>(keys.size());
  if (stored != nullptr) result.rows = stored_rows(*stored);
  if (result.rows.empty()) result.rows = cut_at(profile, cut.kind, keys);
  assign_instances(profile, result.rows);
  return result;
}

Cut default_cut(const Profile& profile) {
  if (profile.stored_aggregations.empty()) {
    return {CutKind::start, profile.trace ? best_key(rank_key_ops(profile)) : "", 0};
  }
  return {CutKind::stored, profile.stored_aggregations.front().key_op, 0};
}

Selection default_selection(const Profile& profile) {
  const Cut cut = default_cut(profile);
  const auto count = static_cast<int64_t>(cut_iterations(profile, cut).rows.size());
  if (profile.stored_aggregations.empty()) return {cut, {0, count - 1}};
  const profile::StoredAggregation& stored = profile.stored_aggregations.front();
  return {cut, clamp_range({stored.first_iteration, stored.last_iteration}, count)};
}

Cut recognise_cut(const Profile& profile, std::size_t stored_index) {
  const profile::StoredAggregation& stored = profile.stored_aggregations[stored_index];
  for (const CutKind kind : {CutKind::start, CutKind::end}) {
    const Cut cut{kind, stored.key_op, stored_index};
    if (same_spans(cut_iterations(profile, cut).rows, stored)) return cut;
  }
  return {CutKind::stored, stored.key_op, stored_index};
}

const profile::StoredAggregation* find_stored_io(const Profile& profile,
                                                 const Iterations& iterations,
                                                 const IterationRange& range) {
  for (const profile::StoredAggregation& stored : profile.stored_aggregations) {
    const bool same_range =
        stored.first_iteration == range.first && stored.last_iteration == range.last;
    if (same_range && static_cast<int64_t>(stored.io_ns.size()) == range.size() &&
        same_spans(iterations.rows, stored)) {
      return &stored;
    }
  }
  return nullptr;
}

std::vector<uint32_t> order_by_duration(const Iterations& iterations) {
  std::vector<uint32_t> order(iterations.rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return iterations.rows[a].duration_ns() < iterations.rows[b].duration_ns();
  });
  return order;
}

IterationRange clamp_range(IterationRange range, int64_t iteration_count) {
  const int64_t last = std::max<int64_t>(iteration_count - 1, 0);
  range.first = std::clamp<int64_t>(range.first, 0, last);
  range.last = std::clamp<int64_t>(range.last, range.first, last);
  return range;
}

}  // namespace dlview::aggregate
