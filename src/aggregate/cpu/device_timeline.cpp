#include "aggregate/cpu/device_timeline.h"

#include <algorithm>

#include "base/parallel.h"

namespace dlview::aggregate::cpu {
namespace {

using base::Interval;

// A look-up sweeps over half as many events on average.
constexpr std::size_t kStride = 256;

}  // namespace

DeviceTimeline::DeviceTimeline(const TimeOrder& order) : levels_(order.levels()) {
  const auto events = order.events();
  start_ns_.resize(events.size());
  stop_ns_.resize(events.size());
  cell_.resize(events.size());
  base::parallel_for(events.size(), 65'536, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const Interval time = order.time_of(events[e]);
      start_ns_[e] = time.start_ns;
      stop_ns_[e] = time.stop_ns;
      cell_[e] = static_cast<uint32_t>(order.cell_of(events[e]));
    }
  });
  Sweep sweep;
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (e % kStride == 0) {
      checkpoints_.push_back(sweep);
      check_ns_.push_back(start_ns_[e]);
    }
    sweep.add(levels_[cell_[e]], start_ns_[e], stop_ns_[e]);
  }
}

std::vector<Coverage> DeviceTimeline::covered_before(std::span<const int64_t> times_ns) const {
  std::vector<Coverage> result(times_ns.size());
  if (start_ns_.empty()) return result;
  base::parallel_for(times_ns.size(), 1024, [&](std::size_t begin, std::size_t end) {
    Sweep sweep;
    std::size_t next = 0;  // event that the sweep has come to
    for (std::size_t t = begin; t < end; ++t) {
      const auto from = check_ns_.begin() + static_cast<std::ptrdiff_t>(next / kStride);
      const auto after = std::lower_bound(from, check_ns_.end(), times_ns[t]);
      const auto check = static_cast<std::size_t>(after - check_ns_.begin());
      if (check > 0 && (check - 1) * kStride >= next) {
        sweep = checkpoints_[check - 1];
        next = (check - 1) * kStride;
      }
      for (; next < start_ns_.size() && start_ns_[next] < times_ns[t]; ++next) {
        sweep.add(levels_[cell_[next]], start_ns_[next], stop_ns_[next]);
      }
      result[t] = sweep.before(times_ns[t]);
    }
  });
  return result;
}

}  // namespace dlview::aggregate::cpu
