// The user ranges of a profile by their paths: how often each runs and on which threads, which of
// them lie inside others, and which say that the run is only warming up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/clock.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

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

// What ranges of one path do inside an iteration: how many begin in it, and their durations added.
struct InnerRanges {
  std::string name;
  int64_t count = 0;
  int64_t total_ns = 0, shortest_ns = 0, longest_ns = 0;
  bool operator==(const InnerRanges&) const = default;
};
// Of the paths right below that of the range that cut, on its thread, those of which several begin
// in the iteration; most of them first.
std::vector<InnerRanges> ranges_inside(const profile::Profile& profile,
                                       const base::Interval& range);

// Starts of the ranges that ran once on their thread, ascending, by process: what tells one part of
// a run from every other.
std::map<int64_t, std::vector<int64_t>> starts_of_singles(const profile::Profile& profile);

}  // namespace dlview::aggregate
