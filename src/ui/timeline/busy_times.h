// BusyTimes: when a GPU does anything, kernels and memory operations, overlaps counted once, so
// that the busy part of every pixel column is known to the nanosecond.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/intervals.h"
#include "ui/timeline/time_window.h"

namespace dlview::ui::timeline {

class BusyTimes {
 public:
  explicit BusyTimes(std::shared_ptr<const base::IntervalSet> busy);

  int64_t busy_ns(int64_t start_ns, int64_t stop_ns) const;
  // How long nothing has run when work starts at this time; empty where something runs, nothing
  // before the first work.
  std::optional<base::Interval> idle_before(int64_t time_ns) const;
  // Of each column of the window.
  std::vector<int64_t> by_column(const TimeMap& map) const;

 private:
  static constexpr std::size_t kBlock = 16;
  struct Before {
    int64_t busy_ns = 0;
    std::size_t blocks = 0;  // that begin before the time
  };
  // `from` is a number of blocks that certainly do, `guess` one that is near.
  Before before(int64_t time_ns, std::size_t from, std::size_t guess) const;

  std::shared_ptr<const base::IntervalSet> busy_;
  // Of the first interval of each block.
  std::vector<int64_t> starts_, busy_before_;
};

}  // namespace dlview::ui::timeline
