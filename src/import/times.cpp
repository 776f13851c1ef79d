#include "import/times.h"

#include <algorithm>
#include <limits>

namespace dlview::import {
namespace {

constexpr base::Interval kNoSpan{0, -1};

int64_t duration_ns(const base::Interval& interval) {
  return interval.stop_ns - interval.start_ns;
}

}  // namespace

const char* time_problem(int64_t start_ns, int64_t stop_ns) {
  if (start_ns < 0) return "it starts before the capture";
  if (stop_ns < start_ns) return "it stops before it starts";
  return stop_ns > kLatestNs ? "it stops more than 104 days after the start of the capture"
                             : nullptr;
}

TimeBudget::TimeBudget(std::size_t device_count)
    : limit_ns_(std::numeric_limits<int64_t>::max() / static_cast<int64_t>(device_count + 1)) {}

bool TimeBudget::add_cpu(base::Interval instance) {
  if (!fits(cpu_ns_, duration_ns(instance))) return false;
  cpu_ns_ += duration_ns(instance);
  return true;
}

bool TimeBudget::add_api(base::Interval call) {
  if (!fits(api_ns_, duration_ns(call))) return false;
  api_ns_ += duration_ns(call);
  return true;
}

bool TimeBudget::add_gpu(profile::Row instance, base::Interval call, base::Interval gpu) {
  if (instance >= spans_.size()) spans_.resize(std::size_t{instance} + 1, kNoSpan);
  base::Interval& span = spans_[instance];
  const bool is_first = span == kNoSpan;
  const base::Interval wider = is_first ? gpu
                                        : base::Interval{std::min(span.start_ns, gpu.start_ns),
                                                         std::max(span.stop_ns, gpu.stop_ns)};
  const int64_t more_span_ns = duration_ns(wider) - (is_first ? 0 : duration_ns(span));
  if (!fits(gpu_ns_, duration_ns(gpu)) || !fits(span_ns_, more_span_ns)) return false;
  if (!add_api(call)) return false;
  gpu_ns_ += duration_ns(gpu);
  span_ns_ += more_span_ns;
  span = wider;
  return true;
}

}  // namespace dlview::import
