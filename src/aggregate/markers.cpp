#include "aggregate/markers.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "aggregate/clock.h"
#include "aggregate/step_names.h"
#include "base/intervals.h"
#include "profile/nesting.h"

namespace dlview::aggregate {
namespace {

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
