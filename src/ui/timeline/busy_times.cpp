#include "ui/timeline/busy_times.h"

#include <algorithm>
#include <utility>

#include "ui/timeline/gallop.h"

namespace dlview::ui::timeline {

BusyTimes::BusyTimes(std::shared_ptr<const base::IntervalSet> busy) : busy_(std::move(busy)) {
  const std::vector<base::Interval>& intervals = busy_->intervals();
  int64_t total = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (i % kBlock == 0) {
      starts_.push_back(intervals[i].start_ns);
      busy_before_.push_back(total);
    }
    total += intervals[i].stop_ns - intervals[i].start_ns;
  }
}

BusyTimes::Before BusyTimes::before(int64_t time_ns, std::size_t from, std::size_t guess) const {
  // Blocks that begin at the time have nothing before it.
  const std::size_t behind = gallop(starts_, time_ns, from, guess);
  if (behind == 0) return {};
  const std::size_t block = behind - 1;
  const std::vector<base::Interval>& intervals = busy_->intervals();
  int64_t busy = busy_before_[block];
  const std::size_t last = std::min(intervals.size(), (block + 1) * kBlock);
  for (std::size_t i = block * kBlock; i < last && intervals[i].start_ns < time_ns; ++i) {
    busy += std::min(intervals[i].stop_ns, time_ns) - intervals[i].start_ns;
  }
  return {busy, behind};
}

int64_t BusyTimes::busy_ns(int64_t start_ns, int64_t stop_ns) const {
  if (stop_ns <= start_ns) return 0;
  const Before start = before(start_ns, 0, 0);
  return before(stop_ns, start.blocks, start.blocks).busy_ns - start.busy_ns;
}

std::optional<base::Interval> BusyTimes::idle_before(int64_t time_ns) const {
  const std::vector<base::Interval>& intervals = busy_->intervals();
  const auto behind = std::ranges::lower_bound(intervals, time_ns, {}, &base::Interval::start_ns);
  if (behind == intervals.begin()) return std::nullopt;
  return base::Interval{std::min((behind - 1)->stop_ns, time_ns), time_ns};
}

std::vector<int64_t> BusyTimes::by_column(const TimeMap& map) const {
  std::vector<int64_t> columns;
  columns.reserve(static_cast<std::size_t>(map.columns()));
  int64_t reached_ns = map.begin_ns(0);
  Before here = before(reached_ns, 0, 0);
  std::size_t stride = 0;  // blocks of a column, as many as the last one had
  for (int32_t column = 0; column < map.columns(); ++column) {
    const base::Interval shown = map.shown(column);
    if (shown.start_ns != reached_ns) here = before(shown.start_ns, 0, here.blocks);
    const Before behind = before(shown.stop_ns, here.blocks, here.blocks + stride);
    columns.push_back(behind.busy_ns - here.busy_ns);
    stride = behind.blocks - here.blocks;
    here = behind;
    reached_ns = shown.stop_ns;
  }
  return columns;
}

}  // namespace dlview::ui::timeline
