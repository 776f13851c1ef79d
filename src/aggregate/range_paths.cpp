#include "aggregate/range_paths.h"

#include <cctype>
#include <functional>
#include <queue>
#include <set>

#include "aggregate/step_names.h"
#include "profile/nesting.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;
using profile::Row;
using profile::StringId;
using profile::ThreadIndex;
using profile::UserRangeIndex;

int64_t median(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Of each range, the time since another one of its thread began or ended.
std::vector<int64_t> pauses_before(const Profile& profile) {
  struct Thread {
    // Where the open ranges stop, the first on top. Files may nest 100,000s of them.
    std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> open;
    int64_t last_ns = 0;
  };
  const profile::UserRanges& ranges = profile.user_ranges;
  std::map<ThreadIndex, Thread> threads;
  std::vector<int64_t> pauses;
  pauses.reserve(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    Thread& thread = threads[ranges.thread[i]];
    while (!thread.open.empty() && thread.open.top() <= ranges.start_ns[i]) {
      thread.last_ns = std::max(thread.last_ns, thread.open.top());
      thread.open.pop();
    }
    pauses.push_back(ranges.start_ns[i] - thread.last_ns);
    thread.last_ns = ranges.start_ns[i];
    thread.open.push(ranges.stop_ns[i]);
  }
  return pauses;
}

using PathRanges = std::map<std::string, RangePath, std::less<>>;

// The ranges of several paths as those of one, on the thread that then has most of them.
Marker merge(std::vector<PathRanges::value_type*> parts) {
  std::ranges::stable_sort(parts, std::greater(), [](const PathRanges::value_type* part) {
    return busiest(part->second.starts).second.size();
  });
  Marker marker{std::move(parts.front()->second), {parts.front()->first}};
  if (parts.size() == 1) return marker;
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    auto& [path, ranges] = **part;
    marker.paths.push_back(path);
    marker.is_numbered &= ranges.is_numbered;
    marker.is_rising &= ranges.is_rising;
    const bool is_same_thread = busiest(ranges.starts).first == busiest(marker.starts).first;
    for (auto& [thread, starts] : ranges.starts) {
      std::vector<int64_t>& all = marker.starts[thread];
      all.insert(all.end(), starts.begin(), starts.end());
    }
    if (!is_same_thread) continue;
    marker.ranges.insert(marker.ranges.end(), ranges.ranges.begin(), ranges.ranges.end());
  }
  for (auto& [thread, starts] : marker.starts) std::ranges::sort(starts);
  std::ranges::sort(marker.ranges, {}, &base::Interval::start_ns);
  return marker;
}

}  // namespace

bool has_several_processes(const profile::Profile& profile) {
  const auto& threads = profile.instances.thread;
  return std::any_of(threads.begin(), threads.end(), [&](Row thread) {
    return profile.threads[thread].process_id != profile.threads[threads[0]].process_id;
  });
}

std::map<std::string, RangePath, std::less<>> ranges_by_path(const Profile& profile) {
  const profile::UserRanges& ranges = profile.user_ranges;
  std::map<StringId, RangePath> paths;
  std::map<StringId, std::vector<UserRangeIndex>> rows;
  std::map<std::pair<StringId, ThreadIndex>, int64_t> last_number;  // by path and thread
  for (UserRangeIndex i{0}; i < ranges.size(); ++i) {
    if (profile.text(ranges.path[i]).size() > kLongestPath) continue;
    RangePath& path = paths[ranges.path[i]];
    path.name = ranges.name[i];
    path.is_numbered &= ranges.number[i] != profile::kNoValue;
    const auto [last, is_first] =
        last_number.try_emplace({ranges.path[i], ranges.thread[i]}, ranges.number[i]);
    path.is_rising &= path.is_numbered && (is_first || ranges.number[i] > last->second);
    last->second = ranges.number[i];
    path.starts[key_of(profile.threads[ranges.thread[i]])].push_back(ranges.start_ns[i]);
    rows[ranges.path[i]].push_back(i);
  }
  const std::vector<int64_t> pauses = pauses_before(profile);
  std::map<std::string, RangePath, std::less<>> result;
  for (auto& [id, path] : paths) {
    const ThreadKey thread = busiest(path.starts).first;
    std::vector<int64_t> before;
    for (const UserRangeIndex i : rows[id]) {
      if (key_of(profile.threads[ranges.thread[i]]) != thread) continue;
      path.ranges.push_back({ranges.start_ns[i], ranges.stop_ns[i]});
      before.push_back(pauses[i]);
    }
    path.pause_ns = median(std::move(before));
    result.emplace(profile.text(id), std::move(path));
  }
  return result;
}

bool is_warm_up(std::string_view path) {
  std::string letters;
  for (const unsigned char c : path) {
    if (std::isalpha(c) != 0) letters += static_cast<char>(std::tolower(c));
  }
  return letters.find("warmup") != std::string::npos;
}

base::IntervalSet warm_up_time(const Profile& profile) {
  const profile::UserRanges& ranges = profile.user_ranges;
  std::map<StringId, bool> known;
  std::vector<base::Interval> found;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto [entry, added] = known.emplace(ranges.name[i], false);
    if (added) entry->second = is_warm_up(profile.text(ranges.name[i]));
    if (entry->second) found.push_back({ranges.start_ns[i], ranges.stop_ns[i]});
  }
  return base::IntervalSet::union_of(std::move(found));
}

Nesting count_inside(const std::vector<base::Interval>& inner,
                     const std::vector<base::Interval>& outer) {
  std::vector<int64_t> counts;
  counts.reserve(outer.size());
  const auto begins_before = [](const base::Interval& range, int64_t time_ns) {
    return range.start_ns < time_ns;
  };
  for (const base::Interval& range : outer) {
    const auto first = std::lower_bound(inner.begin(), inner.end(), range.start_ns, begins_before);
    counts.push_back(std::lower_bound(first, inner.end(), range.stop_ns, begins_before) - first);
  }
  Nesting nesting;
  nesting.count = median(counts);
  nesting.is_constant = std::all_of(counts.begin(), counts.end(),
                                    [&](int64_t count) { return count == nesting.count; });
  return nesting;
}

std::vector<InnerRanges> ranges_inside(const Profile& profile, const base::Interval& range) {
  const profile::UserRanges& ranges = profile.user_ranges;
  const UserRangeIndex begin(static_cast<Row>(
      std::lower_bound(ranges.start_ns.begin(), ranges.start_ns.end(), range.start_ns) -
      ranges.start_ns.begin()));
  UserRangeIndex outer = begin;
  while (outer < ranges.size() && ranges.start_ns[outer] == range.start_ns &&
         ranges.stop_ns[outer] != range.stop_ns) {
    ++outer;
  }
  if (outer == ranges.size() || ranges.start_ns[outer] != range.start_ns) return {};
  const std::string around = std::string(profile.text(ranges.path[outer])) + "/";
  std::map<StringId, InnerRanges> by_path;
  for (UserRangeIndex i = begin; i < ranges.size() && ranges.start_ns[i] < range.stop_ns; ++i) {
    if (i == outer || ranges.thread[i] != ranges.thread[outer]) continue;
    const std::string_view path = profile.text(ranges.path[i]);
    const std::string_view name = profile.text(ranges.name[i]);
    if (path.size() != around.size() + name.size() || !path.starts_with(around)) continue;
    const int64_t duration_ns = ranges.stop_ns[i] - ranges.start_ns[i];
    InnerRanges& inner = by_path[ranges.path[i]];
    if (inner.count == 0) inner = {std::string(name), 0, 0, duration_ns, duration_ns};
    ++inner.count;
    inner.total_ns += duration_ns;
    inner.shortest_ns = std::min(inner.shortest_ns, duration_ns);
    inner.longest_ns = std::max(inner.longest_ns, duration_ns);
  }
  std::vector<InnerRanges> found;
  for (auto& [path, inner] : by_path) {
    if (inner.count > 1) found.push_back(std::move(inner));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const InnerRanges& a, const InnerRanges& b) { return a.count > b.count; });
  return found;
}

std::map<int64_t, std::vector<int64_t>> starts_of_singles(const Profile& profile) {
  const profile::UserRanges& ranges = profile.user_ranges;
  std::map<std::pair<StringId, ThreadIndex>, int64_t> counts;
  for (std::size_t i = 0; i < ranges.size(); ++i) ++counts[{ranges.path[i], ranges.thread[i]}];
  std::map<int64_t, std::vector<int64_t>> starts;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (counts[{ranges.path[i], ranges.thread[i]}] != 1) continue;
    starts[profile.threads[ranges.thread[i]].process_id].push_back(ranges.start_ns[i]);
  }
  return starts;
}

Markers find_markers(const profile::Profile& profile) {
  PathRanges paths = ranges_by_path(profile);
  std::map<profile::StringId, std::set<std::string>> without;  // paths without epochs, by name
  const auto bare = [&profile](std::string_view path) {
    return without_epochs(path, profile::nesting_of(profile, path));
  };
  for (const auto& [path, ranges] : paths) without[ranges.name].insert(bare(path));
  std::map<std::string, std::vector<PathRanges::value_type*>, std::less<>> parts;
  for (auto& entry : paths) {
    const bool is_one = without.at(entry.second.name).size() == 1;
    parts[is_one ? bare(entry.first) : entry.first].push_back(&entry);
  }
  Markers markers;
  for (auto& [path, of_path] : parts) markers.emplace(path, merge(std::move(of_path)));
  return markers;
}

}  // namespace dlview::aggregate
