// CounterCurve: the values of a counter's series over time. A value holds until the next one, and
// the last one to the end of the trace. Before the first one the value is unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/intervals.h"
#include "base/max_tree.h"

namespace dlview::timeline {

class CounterCurve {
 public:
  // In order of time, as many times (ns) as values, which are finite. Both outlive the curve. O(n).
  CounterCurve(std::span<const int64_t> times_ns, std::span<const double> values);

  struct Bounds {
    double least = 0, most = 0;
    bool operator==(const Bounds&) const = default;
  };
  // The least and the largest value from the start to the stop, both included. Of equal times the
  // last value holds. nullopt = unknown.
  std::optional<Bounds> bounds(const base::Interval& time) const;
  // Of all values.
  const Bounds& all() const { return all_; }

 private:
  // The number of values before or at the time.
  std::size_t values_until(int64_t time_ns) const;
  Bounds bounds_of(std::size_t first, std::size_t end) const;

  std::span<const int64_t> times_ns_;
  std::span<const double> values_;
  base::MaxTree least_, most_;
  Bounds all_;
};

}  // namespace dlview::timeline
