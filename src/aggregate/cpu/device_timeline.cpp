#include "aggregate/cpu/device_timeline.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/parallel.h"

namespace dlview::aggregate::cpu {
namespace {

using base::Interval;
using profile::Row;

// A look-up sweeps over half as many events on average.
constexpr std::size_t kStride = 256;
// Under filters all events are swept, in about this many pieces at once.
constexpr std::size_t kPieces = 16;

constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

// The levels of the GPU in which the events of each cell count; 0 = they are left out.
std::vector<Levels> kept_levels(const TimeOrder& order, const Kept& kept) {
  std::vector<Levels> levels = order.levels();
  for (std::size_t cell = 0; cell < levels.size(); ++cell) {
    levels[cell] &= kept.keeps_cell(cell) ? static_cast<Levels>(~kHostLevels) : Levels{0};
  }
  return levels;
}

}  // namespace

DeviceTimeline::DeviceTimeline(TimeOrder order) : order_(std::move(order)) {
  const auto events = order_.events();
  Sweep sweep;
  std::size_t next_clean = events.size() / kPieces;
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Interval time = order_.time_of(events[e]);
    if (e % kStride == 0) {
      checkpoints_.push_back(sweep);
      check_ns_.push_back(time.start_ns);
    }
    if (e > 0 && e >= next_clean && sweep.reached_ns(Level::gpu) <= time.start_ns) {
      clean_.push_back(e);
      next_clean = e + events.size() / kPieces;
    }
    sweep.add(order_.levels()[order_.cell_of(events[e])], time.start_ns, time.stop_ns);
  }
}

std::vector<Coverage> DeviceTimeline::covered_before(std::span<const int64_t> times_ns) const {
  std::vector<Coverage> result(times_ns.size());
  const auto events = order_.events();
  if (events.empty()) return result;
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
      for (; next < events.size(); ++next) {
        const Interval span = order_.time_of(events[next]);
        if (span.start_ns >= times_ns[t]) break;
        sweep.add(order_.levels()[order_.cell_of(events[next])], span.start_ns, span.stop_ns);
      }
      result[t] = sweep.before(times_ns[t]);
    }
  });
  return result;
}

std::vector<Coverage> DeviceTimeline::covered_before(std::span<const int64_t> times_ns,
                                                     const Kept& kept) const {
  std::vector<Coverage> result(times_ns.size());
  const auto events = order_.events();
  if (events.empty()) return result;
  const std::vector<Levels> levels = kept_levels(order_, kept);
  // Piece p sweeps events [first_event[p], first_event[p + 1]) and answers the times that lie
  // behind its first event and not behind that of the next.
  std::vector<std::size_t> first_event{0}, first_time{0};
  for (const std::size_t e : clean_) {
    const int64_t start_ns = order_.time_of(events[e]).start_ns;
    first_event.push_back(e);
    first_time.push_back(static_cast<std::size_t>(
        std::upper_bound(times_ns.begin(), times_ns.end(), start_ns) - times_ns.begin()));
  }
  const std::size_t pieces = first_event.size();
  first_event.push_back(events.size());
  first_time.push_back(times_ns.size());

  for (const TimeWindow& window : kept.windows()) {
    std::vector<Coverage> totals(pieces);
    std::vector<Coverage> in_window(times_ns.size());
    base::parallel_for(pieces, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        Sweep sweep;
        std::size_t e = first_event[p];
        // Adds event `e` and goes on, unless it starts at `end_ns` or later.
        const auto add_before = [&](int64_t end_ns) {
          const Levels in = levels[order_.cell_of(events[e])];
          if (in != 0) {
            const Interval span = order_.time_of(events[e]);
            if (span.start_ns >= end_ns) return false;
            sweep.add(in, std::max(span.start_ns, window.start_ns),
                      std::min(span.stop_ns, window.stop_ns));
          }
          ++e;
          return true;
        };
        for (std::size_t t = first_time[p]; t < first_time[p + 1]; ++t) {
          while (e < first_event[p + 1] && add_before(times_ns[t])) {
          }
          in_window[t] = sweep.before(times_ns[t]);
        }
        while (e < first_event[p + 1] && add_before(kForever)) {
        }
        totals[p] = sweep.total();
      }
    });
    Coverage before_piece;
    for (std::size_t p = 0; p < pieces; ++p) {
      for (std::size_t t = first_time[p]; t < first_time[p + 1]; ++t) {
        if (times_ns[t] <= window.start_ns) continue;
        result[t] += before_piece;
        result[t] += in_window[t];
      }
      before_piece += totals[p];
    }
  }
  return result;
}

}  // namespace dlview::aggregate::cpu
