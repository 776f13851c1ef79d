#include "timeline/counter_curve.h"

#include <algorithm>
#include <bit>

namespace dlview::timeline {
namespace {

// Numbers in the order of the values, for a MaxTree.
int64_t place_in_order(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

int64_t place_from_end(double value) {
  return ~place_in_order(value);
}

}  // namespace

CounterCurve::CounterCurve(std::span<const int64_t> times_ns, std::span<const double> values)
    : times_ns_(times_ns),
      values_(values),
      least_(values.size(), [values](std::size_t i) { return place_from_end(values[i]); }),
      most_(values.size(), [values](std::size_t i) { return place_in_order(values[i]); }) {
  if (!values.empty()) all_ = bounds_of(0, values.size());
}

std::optional<CounterCurve::Bounds> CounterCurve::bounds(const base::Interval& time) const {
  const std::size_t at_start = values_until(time.start_ns);
  const std::size_t end = std::max(values_until(time.stop_ns), at_start);
  if (end == 0) return std::nullopt;
  return bounds_of(at_start > 0 ? at_start - 1 : 0, end);
}

std::size_t CounterCurve::values_until(int64_t time_ns) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(times_ns_, time_ns) - times_ns_.begin());
}

CounterCurve::Bounds CounterCurve::bounds_of(std::size_t first, std::size_t end) const {
  const auto least =
      least_.greatest(first, end, [this](std::size_t i) { return place_from_end(values_[i]); });
  const auto most =
      most_.greatest(first, end, [this](std::size_t i) { return place_in_order(values_[i]); });
  return {values_[least.place], values_[most.place]};
}

}  // namespace dlview::timeline
