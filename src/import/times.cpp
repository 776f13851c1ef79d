#include "import/times.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace dlview::import {
namespace {

constexpr base::Interval kNoSpan{0, -1};

int64_t duration_ns(const base::Interval& interval) {
  return interval.stop_ns - interval.start_ns;
}

// How far an event reaches from the start of its instance, to both sides: added up over the events
// of an instance no less than the time from the first to the last one.
int64_t reach_ns(const GpuTime& event) {
  return std::max<int64_t>(event.gpu.stop_ns - event.instance_start_ns, 0) +
         std::max<int64_t>(event.instance_start_ns - event.gpu.start_ns, 0);
}

constexpr int64_t kTooMuch = std::numeric_limits<int64_t>::max();

int64_t sum(int64_t a_ns, int64_t b_ns) {
  return a_ns > kTooMuch - b_ns ? kTooMuch : a_ns + b_ns;
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

int64_t TimeBudget::more_span_ns(const GpuTime& event) {
  if (event.instance >= spans_.size()) spans_.resize(std::size_t{event.instance} + 1, kNoSpan);
  const base::Interval& span = spans_[event.instance];
  if (span == kNoSpan) return duration_ns(event.gpu);
  return std::max(span.stop_ns, event.gpu.stop_ns) - std::min(span.start_ns, event.gpu.start_ns) -
         duration_ns(span);
}

bool TimeBudget::add_gpu(const GpuTime& event) {
  assert(knows_spans_);
  const int64_t more_ns = more_span_ns(event);
  if (!fits(gpu_ns_, duration_ns(event.gpu)) || !fits(span_ns_, more_ns)) return false;
  if (!add_api(event.call)) return false;
  gpu_ns_ += duration_ns(event.gpu);
  span_ns_ += more_ns;
  base::Interval& span = spans_[event.instance];
  span = span == kNoSpan ? event.gpu
                         : base::Interval{std::min(span.start_ns, event.gpu.start_ns),
                                          std::max(span.stop_ns, event.gpu.stop_ns)};
  return true;
}

bool TimeBudget::add_all(const TimeSums& sums) {
  const bool counted = std::max({sums.api_ns_, sums.gpu_ns_, sums.reach_ns_}) < kTooMuch;
  const bool fit =
      fits(api_ns_, sums.api_ns_) && fits(gpu_ns_, sums.gpu_ns_) && fits(span_ns_, sums.reach_ns_);
  if (!counted || !fit) return false;
  api_ns_ += sums.api_ns_;
  gpu_ns_ += sums.gpu_ns_;
  span_ns_ += sums.reach_ns_;
  if (!sums.has_gpu_) return true;
  knows_spans_ = false;
  spans_ = {};
  return true;
}

void TimeBudget::set_spans(std::vector<base::Interval> spans) {
  spans_ = std::move(spans);
  knows_spans_ = true;
  span_ns_ = 0;
  for (const base::Interval& span : spans_) span_ns_ += std::max<int64_t>(duration_ns(span), 0);
}

void TimeSums::add_api(base::Interval call) {
  api_ns_ = sum(api_ns_, duration_ns(call));
}

void TimeSums::add_gpu(const GpuTime& event) {
  add_api(event.call);
  gpu_ns_ = sum(gpu_ns_, duration_ns(event.gpu));
  reach_ns_ = sum(reach_ns_, reach_ns(event));
  has_gpu_ = true;
}

TimeSums& TimeSums::operator+=(const TimeSums& more) {
  api_ns_ = sum(api_ns_, more.api_ns_);
  gpu_ns_ = sum(gpu_ns_, more.gpu_ns_);
  reach_ns_ = sum(reach_ns_, more.reach_ns_);
  has_gpu_ = has_gpu_ || more.has_gpu_;
  return *this;
}

}  // namespace dlview::import
