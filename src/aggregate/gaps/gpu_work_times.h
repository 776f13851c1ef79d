// GpuWorkTimes: when kernels, copies or memsets of any process run on one GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/intervals.h"
#include "base/max_tree.h"
#include "profile/rows.h"

namespace dlview::aggregate {

class GpuWorkTimes {
 public:
  struct Event {
    int64_t start_ns = 0, stop_ns = 0;
    profile::InstanceIndex instance{0};
  };
  // In any order.
  GpuWorkTimes(profile::DeviceIndex device, std::vector<Event> events);

  profile::DeviceIndex device() const { return device_; }
  const base::IntervalSet& busy() const { return busy_; }

  // A stretch in which nothing runs.
  struct Gap {
    int64_t start_ns = 0, stop_ns = 0;
    profile::InstanceIndex instance{0};  // whose work ends it
    int64_t duration_ns() const { return stop_ns - start_ns; }
  };
  std::size_t gap_count() const { return busy_.empty() ? 0 : busy_.size() - 1; }
  Gap gap(std::size_t number) const;  // in order of time
  // Returns the number of the gap that ends exactly then; nullopt if none does.
  std::optional<std::size_t> gap_before(int64_t time_ns) const;
  // Returns the first stretch of activity that ends after a time; nullopt if none does.
  std::optional<Event> first_after(int64_t time_ns) const;
  // Numbers of gaps, [first, end).
  struct Gaps {
    std::size_t first = 0, end = 0;
    bool empty() const { return first >= end; }
  };
  // Returns the gaps that are completely in [start_ns, stop_ns].
  Gaps gaps_in(int64_t start_ns, int64_t stop_ns) const;
  // Returns the longest of some gaps, which are not empty; of equal ones the first.
  std::size_t longest(const Gaps& gaps) const;
  // Calls use(Gap) for gaps of more than `longer_ns`, in order of time. Cost grows with the gaps
  // found.
  template <typename Use>
  void for_each_longer(const Gaps& gaps, int64_t longer_ns, const Use& use) const;

 private:
  int64_t gap_ns(std::size_t number) const {
    return busy_.intervals()[number + 1].start_ns - busy_.intervals()[number].stop_ns;
  }

  profile::DeviceIndex device_;
  base::IntervalSet busy_;
  std::vector<profile::InstanceIndex> begun_by_;  // for each interval of busy_
  base::MaxTree longest_;                         // of the gaps after the intervals
};

template <typename Use>
void GpuWorkTimes::for_each_longer(const Gaps& gaps, int64_t longer_ns, const Use& use) const {
  const auto duration = [this](std::size_t number) { return gap_ns(number); };
  const auto next_from = [&](std::size_t number) {
    return longest_.first_above(number, gaps.end, longer_ns, duration);
  };
  for (std::size_t i = next_from(gaps.first); i < gaps.end; i = next_from(i + 1)) use(gap(i));
}

}  // namespace dlview::aggregate
