// Stretches of many events in order of time: Runs knows them, RunWalk goes through them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "base/parallel.h"

namespace dlview::timeline {

// Runs: what is known of many events in order of time of which none overlaps another, without a
// look at each: of any stretch of them how much time they take and which is the longest, and where
// those begin that start at a time. RunWalk goes through them from left to right.
//
//   events   |e e e e ... 16|e e e ...     |             start since that of the run, length
//   level 0  |run of 16     |run of 16     |...          start, time taken before it, longest
//   level 1  |run of two of these          |...          and so on upwards
//
// What is known of a run lies side by side, and so do neighbors: who goes through the runs of a
// level reads memory in order. Each question takes a function that tells the base::Interval of an
// event by its place. It is asked for what 31 bits do not hold: more than 2.1 s.
class Runs {
 public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  Runs() = default;
  // Asks for times on all cores.
  template <typename TimeOf>
  Runs(std::size_t count, const TimeOf& time_of);

  std::size_t size() const { return size_; }
  // What all of them take.
  int64_t busy_ns() const { return levels_.front().back().busy_before_ns; }

  template <typename TimeOf>
  base::Interval time(std::size_t place, const TimeOf& time_of) const {
    const int64_t start = start_ns(place, time_of);
    return {start, start + length_ns(place, time_of)};
  }
  template <typename TimeOf>
  int64_t start_ns(std::size_t place, const TimeOf& time_of) const {
    const int32_t offset = events_[place / kFirst].offsets[place % kFirst];
    return offset == kFar ? time_of(place).start_ns
                          : levels_.front()[place / kFirst].start_ns + offset;
  }

  // The first place whose event starts at this time or later; size() = none.
  template <typename TimeOf>
  std::size_t first_from(int64_t time_ns, const TimeOf& time_of) const;
  // The first place whose event lies in the time from time_ns on: it stops behind it, or starts
  // there.
  template <typename TimeOf>
  std::size_t first_visible(int64_t time_ns, const TimeOf& time_of) const {
    const std::size_t first = first_from(time_ns, time_of);
    return first > 0 && time(first - 1, time_of).stop_ns > time_ns ? first - 1 : first;
  }

  // An event; the default is shorter than any.
  struct Longest {
    int64_t ns = -1;
    uint32_t place = 0;
    // What lies to the right.
    void take(const Longest& next) {
      if (next.ns > ns) *this = next;
    }
  };
  // Of places [first, last), which are not empty: the longest, the first of equals.
  template <typename TimeOf>
  Longest longest(std::size_t first, std::size_t last, const TimeOf& time_of) const;

 private:
  template <typename TimeOf>
  friend class RunWalk;

  static constexpr std::size_t kFirst = 16;    // events of a run of level 0
  static constexpr std::size_t kFan = 2;       // runs in one of the next level
  static constexpr int32_t kFar = INT32_MAX;   // too far, or too long, for 31 bits
  static constexpr std::size_t kGrain = 4096;  // runs that are made by one core at a time

  struct Run {
    int64_t start_ns = kNever;
    int64_t busy_before_ns = 0;
    Longest longest;
  };
  // Behind the last one stands one that never starts.
  using Level = std::vector<Run>;

  // Of a run, ns. Signed, for which processors have more instructions.
  struct alignas(64) Events {
    std::array<int32_t, kFirst> offsets, lengths;
  };

  static int64_t length(const base::Interval& time) { return time.stop_ns - time.start_ns; }
  template <typename TimeOf>
  int64_t length_ns(std::size_t place, const TimeOf& time_of) const {
    const int32_t ns = events_[place / kFirst].lengths[place % kFirst];
    return ns == kFar ? length(time_of(place)) : ns;
  }
  // Fetches the events of the run that a place, which may be none, lies in.
  void prefetch(std::size_t place) const {
    if (place >= size_) return;
    const Events& events = events_[place / kFirst];
    __builtin_prefetch(&events.offsets);
    __builtin_prefetch(&events.lengths);
  }
  // Of places of one run, which are not empty.
  struct Few {
    Longest longest;
    int64_t busy_ns = 0;
  };
  template <typename TimeOf>
  Few add_few(std::size_t first, std::size_t last, const TimeOf& time_of) const;
  // The first of a run's events [first, last) that starts at this time or later.
  template <typename TimeOf>
  std::size_t first_from_in(std::size_t first, std::size_t last, int64_t time_ns,
                            const TimeOf& time_of) const;
  // What is known of it but busy_before_ns, which is the time of its own events.
  template <typename TimeOf>
  Run add_run(std::size_t run, const TimeOf& time_of);
  void add_up();
  void add_levels();

  std::size_t size_ = 0;
  std::vector<Events> events_;  // the last run is filled up
  std::vector<Level> levels_{Level(1)};
};

template <typename TimeOf>
Runs::Runs(std::size_t count, const TimeOf& time_of) : size_(count) {
  Level& level = levels_.front();
  level.resize((count + kFirst - 1) / kFirst + 1);
  events_.resize(level.size() - 1);
  base::parallel_for(level.size() - 1, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t run = begin; run < end; ++run) level[run] = add_run(run, time_of);
  });
  add_up();
  add_levels();
}

template <typename TimeOf>
Runs::Run Runs::add_run(std::size_t run, const TimeOf& time_of) {
  const auto in_31_bits = [](int64_t ns) {
    return static_cast<int32_t>(std::min<int64_t>(ns, kFar));
  };
  const std::size_t first = run * kFirst, last = std::min(size_, first + kFirst);
  Events& events = events_[run];
  events.offsets.fill(kFar);
  events.lengths.fill(0);
  Run made;
  for (std::size_t place = first; place < last; ++place) {
    const base::Interval time = time_of(place);
    if (place == first) made.start_ns = time.start_ns;
    events.offsets[place - first] = in_31_bits(time.start_ns - made.start_ns);
    events.lengths[place - first] = in_31_bits(length(time));
    made.longest.take({length(time), static_cast<uint32_t>(place)});
    made.busy_before_ns += length(time);
  }
  return made;
}

template <typename TimeOf>
std::size_t Runs::first_from_in(std::size_t first, std::size_t last, int64_t time_ns,
                                const TimeOf& time_of) const {
  const std::size_t run = first / kFirst;
  const std::array<int32_t, kFirst>& offsets = events_[run].offsets;
  const int64_t offset_ns = time_ns - levels_.front()[run].start_ns;
  if (offsets[(last - 1) % kFirst] != kFar && offset_ns < kFar) {
    const auto offset = static_cast<int32_t>(std::max<int64_t>(0, offset_ns));
    int32_t before = 0;  // at one width, so that it is done at once
    for (const int32_t one : offsets) before += one < offset ? 1 : 0;
    return std::clamp(run * kFirst + static_cast<std::size_t>(before), first, last);
  }
  std::size_t place = first;
  while (place < last && start_ns(place, time_of) < time_ns) ++place;
  return place;
}

template <typename TimeOf>
std::size_t Runs::first_from(int64_t time_ns, const TimeOf& time_of) const {
  const std::span<const Run> runs(levels_.front().data(), levels_.front().size() - 1);
  const auto behind = std::ranges::lower_bound(runs, time_ns, {}, &Run::start_ns);
  if (behind == runs.begin()) return 0;
  const auto run = static_cast<std::size_t>(behind - runs.begin()) - 1;
  return first_from_in(run * kFirst, std::min(size_, (run + 1) * kFirst), time_ns, time_of);
}

template <typename TimeOf>
Runs::Few Runs::add_few(std::size_t first, std::size_t last, const TimeOf& time_of) const {
  constexpr int64_t kShort = int64_t{1} << 27;  // leaves room for the place below the length
  const std::size_t run = first / kFirst;
  const Run* runs = levels_.front().data() + run;
  Few few;
  if (runs[1].busy_before_ns - runs[0].busy_before_ns >= kShort) {
    for (std::size_t place = first; place < last; ++place) {
      const int64_t ns = length_ns(place, time_of);
      few.longest.take({ns, static_cast<uint32_t>(place)});
      few.busy_ns += ns;
    }
    return few;
  }
  const std::array<int32_t, kFirst>& lengths = events_[run].lengths;
  const auto begin = static_cast<int32_t>(first - run * kFirst);
  const auto end = static_cast<int32_t>(last - run * kFirst);
  constexpr int32_t kLast = kFirst - 1;
  int32_t longest = 0, busy = 0;  // the longest with how far it is from the last place of the run
  for (int32_t i = 0; i < static_cast<int32_t>(kFirst); ++i) {
    const int32_t ns = lengths[static_cast<std::size_t>(i)];
    const bool is_in = (i >= begin) & (i < end);
    longest = std::max(longest, is_in ? ns << 4 | (kLast - i) : 0);
    busy += is_in ? ns : 0;
  }
  // What is left out counts as the last place without length, which is longest only where it is in.
  few.longest = {longest >> 4, static_cast<uint32_t>(run * kFirst) +
                                   static_cast<uint32_t>(kLast - (longest & kLast))};
  few.busy_ns = busy;
  return few;
}

template <typename TimeOf>
Runs::Longest Runs::longest(std::size_t first, std::size_t last, const TimeOf& time_of) const {
  Longest left;  // of what is looked at from left to right, before `right`
  std::size_t run = (first + kFirst - 1) / kFirst;
  std::size_t end = last / kFirst;
  if (run > end) return add_few(first, last, time_of).longest;
  Longest right;
  if (first % kFirst != 0) left = add_few(first, run * kFirst, time_of).longest;
  if (last % kFirst != 0) right = add_few(end * kFirst, last, time_of).longest;
  const auto take_right = [&right](Longest next) {
    next.take(right);
    right = next;
  };
  for (std::size_t level = 0; run < end; ++level) {
    const Level& runs = levels_[level];
    if (level + 1 == levels_.size()) {
      while (run < end) left.take(runs[run++].longest);
      break;
    }
    if (run % kFan != 0) left.take(runs[run++].longest);
    if (run < end && end % kFan != 0) take_right(runs[--end].longest);
    run /= kFan;
    end /= kFan;
  }
  left.take(right);
  return left;
}

// Events from a place on that start before a time.
struct Stretch {
  std::size_t behind = 0;  // the place behind it
  int64_t behind_ns = 0;   // when that starts; Runs::kNever = there is none
  uint32_t longest = 0;    // the first of equals
  int64_t longest_ns = -1;
  int64_t busy_ns = 0;  // what all take

  void append(const Stretch& right) {
    behind = right.behind;
    behind_ns = right.behind_ns;
    busy_ns += right.busy_ns;
    if (right.longest_ns <= longest_ns) return;
    longest = right.longest;
    longest_ns = right.longest_ns;
  }
  void prepend(Stretch left) {
    left.append(*this);
    *this = left;
  }
};

// Stretches of many events from left to right, one after the other, each made of as few and as
// large runs as it can be.
template <typename TimeOf>
class RunWalk {
 public:
  RunWalk(const Runs& runs, const TimeOf& time_of) : runs_(runs), time_of_(time_of) {}

  // From `first` on, which starts before time_ns.
  Stretch until(int64_t time_ns, std::size_t first);

 private:
  using Run = Runs::Run;
  static constexpr std::size_t kMost = 16;  // runs of a level, before the next one is used

  std::size_t find_edge(int64_t time_ns, std::size_t run);
  void take(const Run& run) { longest_.take(run.longest); }
  void take_events(std::size_t first, std::size_t last);
  Stretch end_in_run(std::size_t first, int64_t time_ns);
  Stretch end_at(std::size_t place, int64_t start_ns) const {
    return {std::min(place, runs_.size_), start_ns, longest_.place, longest_.ns, busy_ns_};
  }

  const Runs& runs_;
  const TimeOf& time_of_;
  std::size_t level_ = 0;  // of the last run of the stretch before this one: they are often alike
  Runs::Longest longest_;
  int64_t busy_ns_ = 0;
};

template <typename TimeOf>
Stretch RunWalk<TimeOf>::until(int64_t time_ns, std::size_t first) {
  longest_ = {};
  busy_ns_ = 0;
  const std::vector<Runs::Level>& levels = runs_.levels_;
  std::size_t run = (first + Runs::kFirst - 1) / Runs::kFirst;
  if (first % Runs::kFirst != 0) {
    if (levels.front()[run].start_ns >= time_ns) return end_in_run(first, time_ns);
    take_events(first, run * Runs::kFirst);
  }
  run = find_edge(time_ns, run);
  // The run starts before the time, the next one does not.
  for (; level_ > 0; --level_) {
    run *= Runs::kFan;
    const Runs::Level& below = levels[level_ - 1];
    if (below[run + 1].start_ns < time_ns) take(below[run++]);
  }
  busy_ns_ += levels.front()[run].busy_before_ns;
  const Stretch stretch = end_in_run(run * Runs::kFirst, time_ns);
  // The next one is likely to be as long.
  runs_.prefetch(2 * stretch.behind - first);
  return stretch;
}

// Takes whole runs from that of level 0 on, and returns the one in which the time lies, of level_.
template <typename TimeOf>
std::size_t RunWalk<TimeOf>::find_edge(int64_t time_ns, std::size_t run) {
  const std::vector<Runs::Level>& levels = runs_.levels_;
  std::size_t wanted = std::exchange(level_, 0), taken = 0;
  const auto go_up = [&] {
    for (; level_ < wanted && run % Runs::kFan == 0; ++level_) run /= Runs::kFan;
  };
  go_up();
  busy_ns_ -= levels[level_][run].busy_before_ns;
  while (levels[level_][run + 1].start_ns < time_ns) {
    take(levels[level_][run++]);
    if (++taken == kMost && wanted + 1 < levels.size()) {
      ++wanted;
      taken /= Runs::kFan;
    }
    go_up();
  }
  return run;
}

template <typename TimeOf>
void RunWalk<TimeOf>::take_events(std::size_t first, std::size_t last) {
  if (first == last) return;
  const Runs::Few few = runs_.add_few(first, last, time_of_);
  busy_ns_ += few.busy_ns;
  longest_.take(few.longest);
}

// The rest of the stretch, from a place of the run in which the time lies.
template <typename TimeOf>
Stretch RunWalk<TimeOf>::end_in_run(std::size_t first, int64_t time_ns) {
  const std::size_t run = first / Runs::kFirst;
  const std::size_t last = std::min(runs_.size_, (run + 1) * Runs::kFirst);
  const std::size_t behind = runs_.first_from_in(first, last, time_ns, time_of_);
  take_events(first, behind);
  return end_at(behind, behind == last ? runs_.levels_.front()[run + 1].start_ns
                                       : runs_.start_ns(behind, time_of_));
}

}  // namespace dlview::timeline
