#include "aggregate/gaps/gpu_work_times.h"

#include <algorithm>
#include <utility>

#include "base/stop_point.h"

namespace dlview::aggregate {

using profile::DeviceIndex;

GpuWorkTimes::GpuWorkTimes(DeviceIndex device, std::vector<Event> events) : device_(device) {
  std::ranges::stable_sort(events, {}, &Event::start_ns);
  base::stop_point();
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
  base::stop_point();
  busy_ = base::IntervalSet::union_of(std::move(intervals));
  longest_ = base::MaxTree(std::max<std::size_t>(busy_.size(), 1) - 1,
                           [this](std::size_t number) { return gap_ns(number); });
}

GpuWorkTimes::Gap GpuWorkTimes::gap(std::size_t number) const {
  const std::span<const base::Interval> busy = busy_.intervals();
  return {busy[number].stop_ns, busy[number + 1].start_ns, begun_by_[number + 1]};
}

std::optional<std::size_t> GpuWorkTimes::gap_before(int64_t time_ns) const {
  const std::span<const base::Interval> busy = busy_.intervals();
  const auto found = std::ranges::lower_bound(busy, time_ns, {}, &base::Interval::start_ns);
  if (found == busy.end() || found == busy.begin() || found->start_ns != time_ns) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - busy.begin()) - 1;
}

std::optional<GpuWorkTimes::Event> GpuWorkTimes::first_after(int64_t time_ns) const {
  const std::span<const base::Interval> busy = busy_.intervals();
  const auto first = std::ranges::upper_bound(busy, time_ns, {}, &base::Interval::stop_ns);
  if (first == busy.end()) return std::nullopt;
  const auto number = static_cast<std::size_t>(first - busy.begin());
  return Event{first->start_ns, first->stop_ns, begun_by_[number]};
}

GpuWorkTimes::Gaps GpuWorkTimes::gaps_in(int64_t start_ns, int64_t stop_ns) const {
  const std::span<const base::Interval> busy = busy_.intervals();
  const auto first = std::ranges::lower_bound(busy, start_ns, {}, &base::Interval::stop_ns);
  const auto last = std::ranges::upper_bound(busy, stop_ns, {}, &base::Interval::start_ns);
  return {static_cast<std::size_t>(first - busy.begin()),
          static_cast<std::size_t>(std::max<std::ptrdiff_t>(last - busy.begin(), 1)) - 1};
}

std::size_t GpuWorkTimes::longest(const Gaps& gaps) const {
  const auto duration = [this](std::size_t number) { return gap_ns(number); };
  return longest_.greatest(gaps.first, gaps.end, duration).place;
}

}  // namespace dlview::aggregate
