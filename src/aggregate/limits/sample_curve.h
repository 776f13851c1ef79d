// SampleCurve: the samples of one metric over time, with the least, the largest and the sum of any
// stretch of them at the cost of its logarithm, so that a chart costs pixels and not samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/intervals.h"

namespace dlview::aggregate {

// Samples [first, end).
struct SampleRange {
  std::size_t first = 0, end = 0;
  std::size_t size() const { return end - first; }
  bool operator==(const SampleRange&) const = default;
};

class SampleCurve {
 public:
  SampleCurve() = default;
  // In order of time (ns), as many times as values, which are finite. Both outlive the curve. O(n)
  // time; 1.6 bytes for each sample.
  SampleCurve(std::span<const int64_t> times_ns, std::span<const double> values);

  std::size_t size() const { return times_ns_.size(); }
  int64_t time_ns(std::size_t sample) const { return times_ns_[sample]; }
  double value(std::size_t sample) const { return values_[sample]; }

  // A sample is the mean of the time before it: those with start < time <= stop. O(log n).
  SampleRange in(const base::Interval& time) const {
    return {until(time.start_ns), until(time.stop_ns)};
  }
  // The number of samples at or before the time. O(log d), where d is the distance of the answer
  // from `near`.
  std::size_t until(int64_t time_ns, std::size_t near = 0) const;

  struct Summary {
    double least = 0, most = 0, sum = 0;
    bool operator==(const Summary&) const = default;
  };
  // Of at least one sample. Sums of whole numbers below 2^53 are exact. O(log n).
  Summary of(const SampleRange& range) const;

  // The median distance of samples; 0 with fewer than two. Of many samples, some thousand distances
  // are looked at.
  int64_t period_ns() const { return period_ns_; }

 private:
  std::span<const int64_t> times_ns_;
  std::span<const double> values_;
  int64_t period_ns_ = 0;
  // levels_[0][i]: of samples [16 i, 16 i + 16); one level up, of 16 of these. Without incomplete
  // ones.
  std::vector<std::vector<Summary>> levels_;
};

}  // namespace dlview::aggregate
