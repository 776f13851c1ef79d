#include "aggregate/gaps/gpu_work_times.h"

#include <algorithm>
#include <utility>

namespace dlview::aggregate {

using profile::Row;

GpuWorkTimes::GpuWorkTimes(int64_t process_id, Row device, std::vector<Event> events)
    : process_id_(process_id), device_(device) {
  std::ranges::stable_sort(events, {}, &Event::start_ns);
  std::vector<base::Interval> intervals;
  for (const Event& event : events) {
    if (event.stop_ns <= event.start_ns) continue;
    if (intervals.empty() || event.start_ns > intervals.back().stop_ns) {
      intervals.push_back({event.start_ns, event.stop_ns});
      begun_by_.push_back(event.instance);
    } else {
      intervals.back().stop_ns = std::max(intervals.back().stop_ns, event.stop_ns);
    }
  }
  longest_gap_.resize(intervals.size() / kBlock + 1);
  for (std::size_t i = 0; i + 1 < intervals.size(); ++i) {
    int64_t& longest = longest_gap_[i / kBlock];
    longest = std::max(longest, intervals[i + 1].start_ns - intervals[i].stop_ns);
  }
  busy_ = base::IntervalSet::union_of(std::move(intervals));
}

GpuWorkTimes GpuWorkTimes::of_all(std::span<const GpuWorkTimes* const> processes) {
  std::vector<Event> events;
  for (const GpuWorkTimes* process : processes) {
    const std::vector<base::Interval>& busy = process->busy_.intervals();
    for (std::size_t i = 0; i < busy.size(); ++i) {
      events.push_back({busy[i].start_ns, busy[i].stop_ns, process->begun_by_[i]});
    }
  }
  return {kAllProcesses, processes.front()->device_, std::move(events)};
}

std::size_t GpuWorkTimes::first_stopping(int64_t time_ns) const {
  const auto& busy = busy_.intervals();
  const auto found = std::ranges::lower_bound(busy, time_ns, {}, &base::Interval::stop_ns);
  return static_cast<std::size_t>(found - busy.begin());
}

}  // namespace dlview::aggregate
