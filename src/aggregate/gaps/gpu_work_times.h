// GpuWorkTimes: when kernels, copies or memsets run on one GPU, for one process or for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/intervals.h"
#include "profile/rows.h"

namespace dlview::aggregate {

class GpuWorkTimes {
 public:
  static constexpr int64_t kAllProcesses = -1;
  struct Event {
    int64_t start_ns = 0, stop_ns = 0;
    profile::Row instance = 0;
  };
  // In any order.
  GpuWorkTimes(int64_t process_id, profile::Row device, std::vector<Event> events);
  // Of all processes on a device.
  static GpuWorkTimes of_all(std::span<const GpuWorkTimes* const> processes);

  int64_t process_id() const { return process_id_; }
  profile::Row device() const { return device_; }
  const base::IntervalSet& busy() const { return busy_; }

  // Calls use(start_ns, stop_ns, instance whose work ends it) for the gaps of more than `longer_ns`
  // that lie wholly in [start_ns, stop_ns], in order of time. `longer_ns` may grow meanwhile. Costs
  // little beside those it finds.
  template <typename Use>
  void for_each_gap(int64_t start_ns, int64_t stop_ns, const int64_t& longer_ns,
                    const Use& use) const;

 private:
  static constexpr std::size_t kBlock = 256;
  // The first interval that stops at or after the time.
  std::size_t first_stopping(int64_t time_ns) const;

  int64_t process_id_;
  profile::Row device_;
  base::IntervalSet busy_;
  std::vector<profile::Row> begun_by_;  // for each interval of busy_
  std::vector<int64_t> longest_gap_;    // behind one of the intervals of each block
};

template <typename Use>
void GpuWorkTimes::for_each_gap(int64_t start_ns, int64_t stop_ns, const int64_t& longer_ns,
                                const Use& use) const {
  const std::vector<base::Interval>& busy = busy_.intervals();
  std::size_t i = first_stopping(start_ns);
  while (i + 1 < busy.size() && busy[i + 1].start_ns <= stop_ns) {
    if (i % kBlock == 0 && longest_gap_[i / kBlock] <= longer_ns) {
      i += kBlock;
      continue;
    }
    const int64_t gap_start = busy[i].stop_ns, gap_stop = busy[i + 1].start_ns;
    if (gap_stop - gap_start > longer_ns) use(gap_start, gap_stop, begun_by_[i + 1]);
    ++i;
  }
}

}  // namespace dlview::aggregate
