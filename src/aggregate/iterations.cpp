#include "aggregate/iterations.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "aggregate/gpu_split.h"
#include "aggregate/range_paths.h"
#include "aggregate/step_names.h"
#include "base/units.h"
#include "profile/nesting.h"
#include "profile/recorded.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Profile;
using profile::Row;

// From which part of the kernel time outside its own iteration on the split moves to the GPU: a
// tenth shows in the first digit of what an iteration's time holds.
constexpr double kMuchElsewhere = 0.1;

// Instances of every op whose id or name is the key op, as rows in order of cpu_start.
std::vector<InstanceIndex> key_instances(const Profile& profile, std::string_view key_op) {
  if (key_op.empty()) return {};
  std::vector<bool> is_key(profile.ops.size());
  for (std::size_t op = 0; op < profile.ops.size(); ++op) {
    is_key[op] =
        profile.text(profile.ops.id[op]) == key_op || profile.text(profile.ops.name[op]) == key_op;
  }
  std::vector<InstanceIndex> instances;
  for (InstanceIndex i{0}; i < profile.instances.size(); ++i) {
    if (is_key[profile.instances.op[i]]) instances.push_back(i);
  }
  return instances;
}

// User ranges of that name or path by their thread, in order of start, without ranges inside
// another one.
ByThread<KeyRange> key_ranges(const Profile& profile, std::string_view key) {
  ByThread<KeyRange> by_thread;
  const profile::UserRanges& ranges = profile.user_ranges;
  for (std::size_t i = 0; i < ranges.size() && !key.empty(); ++i) {
    if (profile.text(ranges.name[i]) != key && profile.text(ranges.path[i]) != key) continue;
    std::vector<KeyRange>& found = by_thread[key_of(profile.threads[ranges.thread[i]])];
    if (found.empty() || found.back().stop_ns <= ranges.start_ns[i]) {
      found.push_back({ranges.start_ns[i], ranges.stop_ns[i], ranges.number[i]});
    }
  }
  return by_thread;
}

// That of the ranges with that name or path.
std::string_view name_of_ranges(const Profile& profile, std::string_view key) {
  const auto is_key = [&](profile::StringId name) { return profile.text(name) == key; };
  const bool is_name = std::ranges::any_of(profile.user_ranges.name, is_key);
  return is_name ? key : profile::last_name(profile, key);
}

ByThread<InstanceIndex> by_thread(const Profile& profile,
                                  const std::vector<InstanceIndex>& instances) {
  ByThread<InstanceIndex> rows;
  for (const InstanceIndex i : instances) {
    rows[key_of(profile.threads[profile.instances.thread[i]])].push_back(i);
  }
  return rows;
}

// Of the thread that has most of them, if it may be the clock; and its process.
template <typename Found>
struct OfThread {
  std::vector<Found> found;
  std::optional<int64_t> process_id;
};

template <typename Found>
OfThread<Found> of_busiest_thread(ByThread<Found> by_thread, const std::optional<Clock>& clock) {
  std::erase_if(by_thread, [&clock](const auto& of_thread) {
    return clock && !clock->is({of_thread.first.first, of_thread.first.second});
  });
  if (by_thread.empty()) return {};
  const auto& [thread, found] = busiest(by_thread);
  return {found, thread.first};
}

// spec.md 5: nothing between two ranges is lost, and what lies before the first or after the
// last is in no iteration.
Iterations cut_at_ranges(CutKind kind, const std::vector<KeyRange>& ranges) {
  Iterations result;
  result.key_instances = static_cast<int64_t>(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const bool is_first = i == 0, is_last = i + 1 == ranges.size();
    Iteration row{ranges[i].start_ns, ranges[i].stop_ns};
    if (kind == CutKind::end) {
      if (!is_first) row.start_ns = ranges[i - 1].stop_ns + 1;
    } else if (!is_last) {
      row.stop_ns = ranges[i + 1].start_ns - 1;
    }
    if (row.stop_ns < row.start_ns) continue;
    result.rows.push_back(row);
    result.ranges.push_back(ranges[i]);
  }
  return result;
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

std::vector<Iteration> cut_at(const Profile& profile, CutKind kind,
                              const std::vector<InstanceIndex>& keys) {
  std::set<int64_t> stops_ns;
  for (const InstanceIndex i : keys) {
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
    row.first_instance = InstanceIndex(static_cast<Row>(first - starts.begin()));
    row.last_instance = InstanceIndex(static_cast<Row>(last - starts.begin()));
  }
}

// As the host splits the run; `process_id`: of the thread that cuts, where only one does.
Iterations cut_by_host(const Profile& profile, const Cut& cut, std::optional<int64_t>& process_id) {
  const profile::StoredAggregation* stored = nullptr;
  if (cut.kind == CutKind::stored && cut.stored_index < profile.stored_aggregations.size()) {
    stored = &profile.stored_aggregations[cut.stored_index];
  }
  if (stored == nullptr) {
    const OfThread<KeyRange> ranges = of_busiest_thread(key_ranges(profile, cut.key_op), cut.clock);
    process_id = ranges.process_id;
    if (!ranges.found.empty()) {
      Iterations result = cut_at_ranges(cut.kind, ranges.found);
      result.range_name = name_of_ranges(profile, cut.key_op);
      assign_instances(profile, result.rows);
      return result;
    }
  }
  std::vector<InstanceIndex> keys =
      key_instances(profile, stored == nullptr ? cut.key_op : stored->key_op);
  const std::optional<Clock> clock = stored == nullptr ? cut.clock : std::nullopt;
  if (clock || has_several_processes(profile)) {
    OfThread<InstanceIndex> of_thread = of_busiest_thread(by_thread(profile, keys), clock);
    keys = std::move(of_thread.found);
    process_id = of_thread.process_id;
  }

  Iterations result;
  result.key_instances = static_cast<int64_t>(keys.size());
  if (stored != nullptr) result.rows = stored_rows(*stored);
  if (result.rows.empty()) result.rows = cut_at(profile, cut.kind, keys);
  assign_instances(profile, result.rows);
  return result;
}

}  // namespace

Iterations cut_iterations(const Profile& profile, const Cut& cut,
                          std::optional<BoundaryKernels>* known) {
  std::optional<int64_t> process_id;
  Iterations iterations = cut_by_host(profile, cut, process_id);
  if (cut.split_by == SplitBy::host || cut.kind == CutKind::stored) return iterations;
  if (!has_several_processes(profile)) process_id.reset();
  std::optional<BoundaryKernels> own;
  std::optional<BoundaryKernels>& kernels = known == nullptr ? own : *known;
  if (!kernels || kernels->process_id() != process_id) kernels.emplace(profile, process_id);
  split_by_gpu(profile, *kernels, iterations);
  return iterations;
}

InstanceSpan instances_of(const Iterations& iterations, const IterationRange& range) {
  return {iterations.rows[static_cast<std::size_t>(range.first)].first_instance,
          iterations.rows[static_cast<std::size_t>(range.last)].last_instance};
}

bool count_otherwise(const Iterations& iterations) {
  for (std::size_t i = 0; i < iterations.ranges.size(); ++i) {
    const int64_t number = iterations.ranges[i].number;
    if (number != profile::kNoValue && number != static_cast<int64_t>(i)) return true;
  }
  return false;
}

std::string range_label(const Iterations& iterations, int64_t iteration) {
  return range_label(iterations, {iteration, iteration});
}

std::string range_label(const Iterations& iterations, const IterationRange& range) {
  if (!count_otherwise(iterations)) return "";
  const int64_t first = iterations.ranges[static_cast<std::size_t>(range.first)].number;
  const int64_t last = iterations.ranges[static_cast<std::size_t>(range.last)].number;
  if (first == profile::kNoValue || last == profile::kNoValue) return "";
  const std::string text = iterations.range_name + " " + base::format_count(first);
  return range.size() == 1 ? text : text + "–" + base::format_count(last);
}

std::vector<KeyThread> threads_of_key(const Profile& profile, std::string_view key) {
  std::vector<KeyThread> threads;
  const auto add = [&](const ThreadKey& thread, std::size_t count) {
    threads.push_back({{thread.first, thread.second}, static_cast<int64_t>(count)});
  };
  for (const auto& [thread, ranges] : key_ranges(profile, key)) add(thread, ranges.size());
  if (!threads.empty()) return threads;
  for (const auto& [thread, rows] : by_thread(profile, key_instances(profile, key))) {
    add(thread, rows.size());
  }
  return threads;
}

std::string_view advice_on_one_step(const Profile& profile) {
  if (!profile::is_pytorch_trace(profile)) return "";
  const auto by_thread = key_ranges(profile, kProfilerStep.substr(0, kProfilerStep.size() - 1));
  if (by_thread.empty() || busiest(by_thread).second.size() != 1) return "";
  return "Record several steps in one trace: torch.profiler.schedule(wait=1, warmup=1, active=5)";
}

Outside find_outside(const Profile& profile, const Iterations& iterations) {
  const Iteration& first = iterations.rows.front();
  const Iteration& last = iterations.rows.back();
  Outside outside{
      .before = {.duration_ns = std::max<int64_t>(0, first.start_ns - profile.first_ns)},
      .after = {.duration_ns = std::max<int64_t>(0, profile.last_ns - last.stop_ns)}};
  const auto& kernels = profile.kernels;
  for (KernelIndex k{0}; k < kernels.size(); ++k) {
    const int64_t duration_ns = kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k];
    ++outside.kernels;
    outside.kernel_ns += duration_ns;
    const bool is_before = kernels.instance[k] < first.first_instance;
    if (!is_before && kernels.instance[k] < last.last_instance) continue;
    OutsidePart& part = is_before ? outside.before : outside.after;
    ++part.kernels;
    part.kernel_ns += duration_ns;
  }
  return outside;
}

SplitBy default_split(const Profile& profile, const Cut& cut) {
  if (!profile.trace || cut.key_op.empty() || cut.kind == CutKind::stored) return SplitBy::host;
  Cut wanted = cut;
  wanted.split_by = SplitBy::host;
  const Iterations by_host = cut_iterations(profile, wanted);
  if (by_host.rows.size() < 2) return SplitBy::host;
  const double elsewhere = share_elsewhere(profile, by_host);
  if (elsewhere < kMuchElsewhere) return SplitBy::host;
  wanted.split_by = SplitBy::gpu;
  const Iterations by_gpu = cut_iterations(profile, wanted);
  const bool is_better = 2 * share_elsewhere(profile, by_gpu) <= elsewhere;
  return by_gpu.split_by == SplitBy::gpu && is_better ? SplitBy::gpu : SplitBy::host;
}

Cut default_cut(const KeyRanking& ranking) {
  const Profile& profile = ranking.profile();
  if (profile.stored_aggregations.empty()) {
    Cut cut{CutKind::start, profile.trace ? best_key(ranking.candidates()) : "", 0};
    cut.split_by = default_split(profile, cut);
    return cut;
  }
  return {CutKind::stored, profile.stored_aggregations.front().key_op, 0};
}

Selection default_selection(const KeyRanking& ranking) {
  const Profile& profile = ranking.profile();
  const Cut cut = default_cut(ranking);
  const auto count = static_cast<int64_t>(cut_iterations(profile, cut).rows.size());
  if (profile.stored_aggregations.empty()) return {cut, {0, count - 1}};
  const profile::StoredAggregation& stored = profile.stored_aggregations.front();
  return {cut, clamp_range({stored.first_iteration, stored.last_iteration}, count)};
}

Cut recognize_cut(const Profile& profile, std::size_t stored_index) {
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
