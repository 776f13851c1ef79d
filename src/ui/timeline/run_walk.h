// RunWalk: stretches of many events from left to right, one after the other, each made of as few
// and as large runs as it can be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ui/timeline/runs.h"

namespace dlview::ui::timeline {

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

}  // namespace dlview::ui::timeline
