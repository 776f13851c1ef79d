// RangeView: the iterations of a range for detectors, with times per iteration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "aggregate/finding.h"
#include "base/intervals.h"

namespace dlview::aggregate {

// ns for each iteration of a range, in order.
using PerIteration = std::vector<int64_t>;

class RangeView {
 public:
  // The aggregation must outlive it.
  explicit RangeView(const Aggregation& aggregation)
      : aggregation_(aggregation),
        iterations_(aggregation.iteration_table->iterations.rows),
        range_(aggregation.selection.range) {}

  const Aggregation& aggregation() const { return aggregation_; }
  const Iteration& iteration(int64_t number) const {
    return iterations_[static_cast<std::size_t>(number)];
  }
  int64_t first() const { return range_.first; }
  int64_t last() const { return range_.last; }
  int64_t size() const { return range_.size(); }
  int64_t start_ns() const { return iteration(range_.first).start_ns; }
  int64_t stop_ns() const { return iteration(range_.last).stop_ns; }
  profile::InstanceIndex first_instance() const { return iteration(range_.first).first_instance; }
  profile::InstanceIndex last_instance() const { return iteration(range_.last).last_instance; }

  // Instances of the range, and so its iterations, are in order.
  int64_t iteration_of(profile::InstanceIndex instance) const {
    const auto begin = iterations_.begin() + range_.first, end = iterations_.begin() + range_.last;
    return std::ranges::upper_bound(begin, end, instance, {}, &Iteration::last_instance) -
           iterations_.begin();
  }
  int64_t iteration_at(int64_t time_ns) const {
    const auto begin = iterations_.begin() + range_.first + 1,
               end = iterations_.begin() + range_.last + 1;
    return std::ranges::upper_bound(begin, end, time_ns, {}, &Iteration::start_ns) -
           iterations_.begin() - 1;
  }

  // Returns the iteration that has most of an idle gap, of equal ones the first. On the GPU, the
  // wait for a batch begins with the end of the step before, or shortly before it. Iterations are
  // 1 ns apart, which belong to the next one.
  int64_t iteration_of_gap(int64_t start_ns, int64_t stop_ns) const {
    int64_t number = iteration_at(start_ns + 1), most = number, most_ns = -1;
    for (; number <= range_.last && (most_ns < 0 || iteration(number).start_ns < stop_ns);
         ++number) {
      const int64_t end_ns =
          number == range_.last ? stop_ns : std::min(stop_ns, iteration(number + 1).start_ns);
      const int64_t ns = end_ns - std::max(start_ns + 1, iteration(number).start_ns);
      if (ns <= most_ns) continue;
      most_ns = std::max<int64_t>(ns, 0);
      most = number;
    }
    return most;
  }
  // When the earliest gap of the range begins.
  int64_t gaps_from_ns() const {
    return range_.first == 0 ? start_ns()
                             : std::min(start_ns(), iteration(range_.first - 1).stop_ns);
  }

  PerIteration zeros() const { return PerIteration(static_cast<std::size_t>(size())); }
  void add(PerIteration& sums, int64_t iteration, int64_t ns) const {
    sums[static_cast<std::size_t>(iteration - range_.first)] += ns;
  }
  // Adds what a set covers in each iteration.
  void add_covered(PerIteration& sums, const base::IntervalSet& times) const {
    for (int64_t i = range_.first; i <= range_.last; ++i) {
      add(sums, i, times.covered_ns(iteration(i).start_ns, iteration(i).stop_ns));
    }
  }
  // Returns the share of the sum of the iterations' durations.
  double percent(int64_t ns) const {
    const int64_t all_ns = aggregation_.range_ns;
    return all_ns == 0 ? 0 : 100 * static_cast<double>(ns) / static_cast<double>(all_ns);
  }
  // Whether the GPU ran a kernel in the range.
  bool is_used(profile::DeviceIndex device) const {
    return aggregation_.devices[device].kernel_union_ns > 0;
  }
  bool has_kernels() const {
    return std::ranges::any_of(aggregation_.devices, [](const DeviceAggregate& device) {
      return device.kernel_union_ns > 0;
    });
  }
  // At least 1.
  int64_t used_gpus() const {
    return std::max<int64_t>(
        1, std::ranges::count_if(aggregation_.devices, [](const DeviceAggregate& device) {
          return device.kernel_union_ns > 0;
        }));
  }

  Savings savings(const PerIteration& ns) const;

 private:
  const Aggregation& aggregation_;
  const std::vector<Iteration>& iterations_;
  IterationRange range_;
};

}  // namespace dlview::aggregate
