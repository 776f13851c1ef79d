// Which times a profile accepts: each for itself, and all together, so that no sum of them that the
// program computes can overflow an int64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::import {

// 104 days from the start of the capture; up to here a double holds every ns exactly.
inline constexpr int64_t kLatestNs = int64_t{1} << 53;

// With more, the time of a run summed over all GPUs could pass an int64.
inline constexpr std::size_t kMostDevices = 1000;

// Why the range cannot be used; nullptr if it can.
const char* time_problem(int64_t start_ns, int64_t stop_ns);

inline constexpr const char* kTooMuchTime = "the total time up to this row exceeds 64 bits";

// GPU times of an op instance that began at a given time, and the API call.
struct GpuTime {
  profile::Row instance = 0;
  int64_t instance_start_ns = 0;
  base::Interval call, gpu;
};

// Durations of many events, which several threads add up for TimeBudget::add_all().
class TimeSums {
 public:
  void add_api(base::Interval call);
  void add_gpu(const GpuTime& event);
  TimeSums& operator+=(const TimeSums& more);

 private:
  friend class TimeBudget;
  // Each is the sum, or the largest number where that is more.
  int64_t api_ns_ = 0, gpu_ns_ = 0, reach_ns_ = 0;
  bool has_gpu_ = false;
};

// Running sums of the durations that were accepted, or of more than these. Each stays at or below
// INT64_MAX / (devices + 1), since what is computed for one GPU is summed over all. Times have
// passed time_problem().
class TimeBudget {
 public:
  explicit TimeBudget(std::size_t device_count);

  // False, and nothing is counted, when a sum would become too large.
  bool add_cpu(base::Interval instance);
  bool add_api(base::Interval call);
  // All time from the first to the last such event of an instance counts: it is GPU time or idle.
  bool add_gpu(const GpuTime& event);
  // Adds all of these events without a check of each: the time of an instance counts from its start
  // to each of them, which is more than from the first event to the last. Returns false, and counts
  // nothing, if single events may exceed the limit; the caller then adds each of them.
  bool add_all(const TimeSums& sums);
  // After add_all(), before the next add_gpu().
  bool needs_spans() const { return !knows_spans_; }
  // From the first to the last accepted GPU event, by instance; reversed if it has none.
  void set_spans(std::vector<base::Interval> spans);

 private:
  bool fits(int64_t sum_ns, int64_t more_ns) const { return more_ns <= limit_ns_ - sum_ns; }
  // How much more of an instance counts with this event.
  int64_t more_span_ns(const GpuTime& event);

  int64_t limit_ns_;
  int64_t cpu_ns_ = 0, api_ns_ = 0, gpu_ns_ = 0, span_ns_ = 0;
  bool knows_spans_ = true;
  std::vector<base::Interval> spans_;  // as set_spans() takes them
};

}  // namespace dlview::import
