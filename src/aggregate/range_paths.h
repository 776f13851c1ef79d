// The user ranges of a profile by their paths: how often each runs and on which threads, which of
// them lie inside others, and which say that the run is only warming up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The instances that split a run of several threads: those of the thread with the most of them
// (spec.md 4).

// In the order in which the first of equal threads is taken.
using ThreadKey = std::pair<int64_t, int64_t>;  // process, thread
inline ThreadKey key_of(const profile::Thread& thread) {
  return {thread.process_id, thread.thread_id};
}

template <typename Found>
using ByThread = std::map<ThreadKey, std::vector<Found>>;

// The thread with most of them, and these. There must be one.
template <typename Found>
const typename ByThread<Found>::value_type& busiest(const ByThread<Found>& found) {
  return *std::max_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
}

// Returns whether op instances are in several processes; only then one thread splits without being
// chosen.
bool has_several_processes(const profile::Profile& profile);

using StartsByThread = ByThread<int64_t>;  // in ascending order

struct RangePath {
  profile::StringId name = 0;
  bool is_numbered = true;             // each range of it counts
  bool is_rising = true;               // and from each to the next on its thread the number rises
  StartsByThread starts;               // of its ranges
  std::vector<base::Interval> ranges;  // of the busiest thread
  // Median ns in which nothing else ends or begins on the thread before a range of it.
  int64_t pause_ns = 0;
};

// By path, as text: "/epoch/step". Longer paths are left out: such texts are messages, not names,
// and each copy of them takes memory.
inline constexpr std::size_t kLongestPath = 4096;
std::map<std::string, RangePath, std::less<>> ranges_by_path(const profile::Profile& profile);

// "Warm-up Step", "warmup", "/warm_up/Forward".
bool is_warm_up(std::string_view path);

// The time in which a range of that kind is open on some thread.
base::IntervalSet warm_up_time(const profile::Profile& profile);

// How many inner ranges begin in an outer one: the median, 0 when most hold none.
struct Nesting {
  int64_t count = 0;
  bool is_constant = false;  // each outer range holds that many
};
Nesting count_inside(const std::vector<base::Interval>& inner,
                     const std::vector<base::Interval>& outer);

// Ranges of one path inside an iteration: how many begin in it, and the sum of their durations.
struct InnerRanges {
  std::string name;
  int64_t count = 0;
  int64_t total_ns = 0, shortest_ns = 0, longest_ns = 0;
  bool operator==(const InnerRanges&) const = default;
};
// Returns the paths directly below the marker's range, on its thread, with several ranges in the
// iteration; most ranges first.
std::vector<InnerRanges> ranges_inside(const profile::Profile& profile,
                                       const base::Interval& range);

// Returns the starts of the ranges that ran once on their thread, ascending, by process. They
// distinguish the parts of a run.
std::map<int64_t, std::vector<int64_t>> starts_of_singles(const profile::Profile& profile);

// User ranges that mark the same thing, whatever epoch they are in.

// The ranges of a path, or of several that differ only in their epochs.
struct Marker : RangePath {
  std::vector<std::string> paths;  // the one with the most ranges first
};

// By path, without epochs where several paths are one.
using Markers = std::map<std::string, Marker, std::less<>>;

// A key is a name or one path: paths are one marker only where all ranges of the name are.
Markers find_markers(const profile::Profile& profile);

}  // namespace dlview::aggregate
