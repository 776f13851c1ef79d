#include "ui/timeline/busy_times.h"

#include <algorithm>
#include <utility>

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

int64_t BusyTimes::before_ns(int64_t time_ns) const {
  const auto behind = std::ranges::upper_bound(starts_, time_ns);
  if (behind == starts_.begin()) return 0;
  const auto block = static_cast<std::size_t>(behind - starts_.begin()) - 1;
  const std::vector<base::Interval>& intervals = busy_->intervals();
  int64_t busy = busy_before_[block];
  const std::size_t last = std::min(intervals.size(), (block + 1) * kBlock);
  for (std::size_t i = block * kBlock; i < last && intervals[i].start_ns < time_ns; ++i) {
    busy += std::min(intervals[i].stop_ns, time_ns) - intervals[i].start_ns;
  }
  return busy;
}

int64_t BusyTimes::busy_ns(int64_t start_ns, int64_t stop_ns) const {
  return stop_ns <= start_ns ? 0 : before_ns(stop_ns) - before_ns(start_ns);
}

std::vector<int64_t> BusyTimes::by_column(const TimeMap& map) const {
  std::vector<int64_t> columns;
  int64_t reached_ns = map.begin_ns(0), before = before_ns(reached_ns);
  for (int32_t column = 0; column < map.columns(); ++column) {
    const base::Interval shown = map.shown(column);
    if (shown.start_ns != reached_ns) before = before_ns(shown.start_ns);
    const int64_t behind = before_ns(shown.stop_ns);
    columns.push_back(behind - before);
    before = behind;
    reached_ns = shown.stop_ns;
  }
  return columns;
}

}  // namespace dlview::ui::timeline
