#include "aggregate/cpu/device_timeline.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/parallel.h"

namespace dlview::aggregate::cpu {
namespace {

using base::Interval;

// A look-up sweeps over half as many events on average.
constexpr std::size_t kStride = 256;
// Under filters all events of a window are swept, in about this many pieces at once.
constexpr std::size_t kPieces = 16;
// Events that are looked through for kept ones at once.
constexpr std::size_t kBatch = 1024;

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
  std::size_t next_clean = events.size() / kPieces;
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (e % kStride == 0) {
      checkpoints_.push_back(sweep);
      check_ns_.push_back(start_ns_[e]);
    }
    if (e > 0 && e >= next_clean && sweep.reached_ns(Level::gpu) <= start_ns_[e]) {
      clean_.push_back(e);
      next_clean = e + events.size() / kPieces;
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

std::size_t DeviceTimeline::events_before(int64_t time_ns) const {
  const auto check = static_cast<std::size_t>(
      std::lower_bound(check_ns_.begin(), check_ns_.end(), time_ns) - check_ns_.begin());
  if (check == 0) return 0;
  const auto first = start_ns_.begin() + static_cast<std::ptrdiff_t>((check - 1) * kStride);
  const auto end =
      start_ns_.begin() + static_cast<std::ptrdiff_t>(std::min(check * kStride, start_ns_.size()));
  return static_cast<std::size_t>(std::lower_bound(first, end, time_ns) - start_ns_.begin());
}

// A place in the order before which every event of the GPU has stopped by then.
std::size_t DeviceTimeline::stopped_by(int64_t time_ns) const {
  const auto running = std::ranges::partition_point(
      checkpoints_, [&](const Sweep& sweep) { return sweep.reached_ns(Level::gpu) <= time_ns; });
  const auto checks = static_cast<std::size_t>(running - checkpoints_.begin());
  return checks == 0 ? 0 : (checks - 1) * kStride;
}

// Adds the kept ones of events [first, end) to the sweep, as far as they lie in the window.
template <std::size_t N>
void DeviceTimeline::add_kept(std::size_t first, std::size_t end, const KeptLevels& levels,
                              const TimeWindow& window, KeptSweep<N>& sweep) const {
  std::array<std::size_t, kBatch> kept;
  while (first < end) {
    std::size_t count = 0;
    for (const std::size_t batch_end = std::min(first + kBatch, end); first < batch_end; ++first) {
      kept[count] = first;
      count += levels.bits_of(cell_[first]) != 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t e = kept[i];
      sweep.add(levels.bits_of(cell_[e]), std::max(start_ns_[e], window.start_ns),
                std::min(stop_ns_[e], window.stop_ns));
    }
  }
}

// Adds the coverage in one window to `result`; events_before() of the times in `places`.
template <std::size_t N>
void DeviceTimeline::add_window(std::span<const int64_t> times_ns,
                                const std::vector<std::size_t>& places, const KeptLevels& levels,
                                const TimeWindow& window, std::vector<Coverage>& result) const {
  // Piece p sweeps events [bounds[p], bounds[p + 1]) and answers the times behind its first event.
  const std::size_t end = events_before(window.stop_ns);
  const std::size_t first = std::min(stopped_by(window.start_ns), end);
  std::vector<std::size_t> bounds{first};
  std::ranges::copy_if(clean_, std::back_inserter(bounds),
                       [&](std::size_t place) { return place > first && place < end; });
  bounds.push_back(end);
  const auto first_time = [&](std::size_t piece) {
    return static_cast<std::size_t>(std::ranges::upper_bound(places, bounds[piece]) -
                                    places.begin());
  };
  const std::size_t pieces = bounds.size() - 1;
  std::vector<std::array<int64_t, N>> covered(times_ns.size()), totals(pieces + 1);
  base::parallel_for(pieces, 1, [&](std::size_t begin, std::size_t piece_end) {
    for (std::size_t p = begin; p < piece_end; ++p) {
      KeptSweep<N> sweep;
      std::size_t next = bounds[p];
      for (std::size_t t = first_time(p); t < first_time(p + 1); ++t) {
        add_kept(next, places[t], levels, window, sweep);
        next = places[t];
        covered[t] = sweep.before(times_ns[t]);
      }
      add_kept(next, bounds[p + 1], levels, window, sweep);
      totals[p] = sweep.total();
    }
  });
  std::array<int64_t, N> before_piece{};
  for (std::size_t p = 0; p <= pieces; ++p) {
    const std::size_t behind = p < pieces ? first_time(p + 1) : times_ns.size();
    for (std::size_t t = first_time(p); t < behind; ++t) {
      if (times_ns[t] <= window.start_ns) continue;
      for (std::size_t n = 0; n < N; ++n) covered[t][n] += before_piece[n];
      result[t] += levels.coverage(covered[t].data());
    }
    for (std::size_t n = 0; n < N; ++n) before_piece[n] += totals[p][n];
  }
}

std::vector<Coverage> DeviceTimeline::covered_before(std::span<const int64_t> times_ns,
                                                     const Kept& kept) const {
  std::vector<Coverage> result(times_ns.size());
  const KeptLevels levels(levels_, kept);
  if (levels.size() == 0) return result;
  std::vector<std::size_t> places(times_ns.size());
  base::parallel_for(places.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) places[t] = events_before(times_ns[t]);
  });
  constexpr std::array kAddWindow{&DeviceTimeline::add_window<1>, &DeviceTimeline::add_window<2>,
                                  &DeviceTimeline::add_window<3>, &DeviceTimeline::add_window<4>,
                                  &DeviceTimeline::add_window<5>};
  for (const TimeWindow& window : kept.windows()) {
    (this->*kAddWindow[levels.size() - 1])(times_ns, places, levels, window, result);
  }
  return result;
}

}  // namespace dlview::aggregate::cpu
