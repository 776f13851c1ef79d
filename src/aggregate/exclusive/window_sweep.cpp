#include "aggregate/exclusive/window_sweep.h"

#include <algorithm>
#include <limits>

namespace dlview::aggregate {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::DeviceIndex;
using profile::Row;

// A place in a lane of either kind that moves on in time.
class LaneCursor {
 public:
  LaneCursor() = default;
  LaneCursor(const EventLane& lane, int64_t time_ns) : events_(&lane), size_(lane.size()) {
    seek([&](std::size_t i) { return lane.stop_ns(i); }, time_ns);
  }
  LaneCursor(const HostLane& lane, int64_t time_ns) : host_(&lane), size_(lane.size()) {
    seek([&](std::size_t i) { return lane[i].stop_ns; }, time_ns);
  }
  // Moves to the first segment that ends after the time.
  void advance(int64_t time_ns) {
    while (now_.stop_ns <= time_ns) {
      ++place_;
      load();
    }
  }
  const LaneSegment& now() const { return now_; }

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  template <typename StopOf>
  void seek(const StopOf& stop_of, int64_t time_ns) {
    std::size_t end = size_;
    while (place_ < end) {
      const std::size_t middle = place_ + (end - place_) / 2;
      if (stop_of(middle) <= time_ns) {
        place_ = middle + 1;
      } else {
        end = middle;
      }
    }
    load();
  }
  void load() {
    now_ = place_ >= size_      ? LaneSegment{kNever, kNever, 0}
           : events_ != nullptr ? events_->segment(place_)
                                : (*host_)[place_];
  }

  const EventLane* events_ = nullptr;
  const HostLane* host_ = nullptr;
  std::size_t place_ = 0, size_ = 0;
  LaneSegment now_{kNever, kNever, 0};
};

template <typename Take>
void add_cell_entry(uint32_t cell, int64_t exclusive_ns, int64_t total_ns, const Take& take) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  do {
    const int64_t exclusive = std::min(exclusive_ns, kMost), total = std::min(total_ns, kMost);
    take(CellEntry{cell, static_cast<uint32_t>(exclusive), static_cast<uint32_t>(total)});
    exclusive_ns -= exclusive;
    total_ns -= total;
  } while (exclusive_ns > 0 || total_ns > 0);
}

// Of the windows [first, end) of a GPU.
class WindowSweep {
 public:
  WindowSweep(const SweepInput& input, const GpuLanes& lanes, DeviceIndex device, std::size_t first,
              std::size_t end)
      : input_(input),
        lanes_(lanes),
        device_(device),
        times_(input.windows.times),
        exclusive_ns_(input.cells.count),
        total_ns_(input.cells.count) {
    const int64_t start_ns = times_[first].start_ns;
    for (std::size_t kind = 0; kind <= kMemoryLane; ++kind) {
      const EventLane& lane = lanes_.events[kind];
      cursors_[kind] = LaneCursor(lane, start_ns);
      const auto begins = std::ranges::lower_bound(
          lane.rows(), first == 0 ? std::numeric_limits<int64_t>::min() : times_[first - 1].stop_ns,
          {}, [&](Row row) { return lane.event(row).start_ns; });
      next_[kind] = static_cast<std::size_t>(begins - lane.rows().begin());
    }
    if (lanes_.counts_host) {
      cursors_[kLoaderLane] = LaneCursor(input.host.loader, start_ns);
      cursors_[kIoLane] = LaneCursor(input.host.io, start_ns);
      cursors_[kCpuLane] = LaneCursor(input.host.cpu, start_ns);
    }
    if (lanes_.work != nullptr) {
      busy_ = lanes_.work->busy().intervals();
      busy_place_ = static_cast<std::size_t>(
          std::ranges::lower_bound(busy_, start_ns, {}, &Interval::start_ns) - busy_.begin());
    }
    for (std::size_t window = first; window < end; ++window) {
      divide(times_[window]);
      add_totals(window);
      flush();
    }
  }
  SweptEntries take() { return std::move(result_); }

 private:
  void add(uint32_t cell, int64_t exclusive_ns, int64_t total_ns) {
    if (exclusive_ns_[cell] == 0 && total_ns_[cell] == 0) touched_.push_back(cell);
    exclusive_ns_[cell] += exclusive_ns;
    total_ns_[cell] += total_ns;
  }

  void divide(const Interval& window) {
    for (int64_t time_ns = window.start_ns; time_ns < window.stop_ns;) {
      int64_t until_ns = window.stop_ns;
      const std::optional<uint32_t> cell = cell_at(time_ns, until_ns);
      add(cell ? *cell : input_.cells.other + gap_number(until_ns), until_ns - time_ns, 0);
      time_ns = until_ns;
    }
  }

  // Lowers `until_ns` to the next time at which this may change.
  std::optional<uint32_t> cell_at(int64_t time_ns, int64_t& until_ns) {
    for (std::size_t kind = 0; kind < kLaneKinds; ++kind) {
      LaneCursor& cursor = cursors_[kind];
      cursor.advance(time_ns);
      const LaneSegment& now = cursor.now();
      if (now.start_ns > time_ns) {
        until_ns = std::min(until_ns, now.start_ns);
        continue;
      }
      if (kind == kHiddenTensorCoreLane) {
        LaneCursor& computes = cursors_[kComputeLane];
        computes.advance(time_ns);
        if (computes.now().start_ns > time_ns) continue;  // exposed
        until_ns = std::min(until_ns, computes.now().stop_ns);
      }
      until_ns = std::min(until_ns, now.stop_ns);
      return kind < kLoaderLane ? now.cell : now.cell + gap_number(until_ns);
    }
    return std::nullopt;
  }

  // The cause of a stretch in which the GPU is idle and which ends then; kGapCauseCount = no gap.
  uint32_t gap_number(int64_t until_ns) {
    while (busy_place_ < busy_.size() && busy_[busy_place_].start_ns < until_ns) ++busy_place_;
    if (busy_place_ == 0 || busy_place_ == busy_.size()) return kGapCauseCount;
    if (known_gap_ != busy_place_) {
      known_gap_ = busy_place_;
      const GpuWorkTimes::Gap gap = lanes_.work->gap(busy_place_ - 1);
      known_cause_ =
          input_.rules.idle_gaps().cause(device_, gap.start_ns, gap.stop_ns, gap.instance);
    }
    return static_cast<uint32_t>(known_cause_);
  }

  // The time of an event in a window.
  void add_piece(uint32_t cell, const Interval& event, std::size_t window, std::size_t in) {
    const Interval& time = times_[in];
    const int64_t start_ns = std::max(event.start_ns, time.start_ns),
                  stop_ns = std::min(event.stop_ns, time.stop_ns), ns = stop_ns - start_ns;
    if (ns <= 0) return;
    const int64_t crowded_ns = lanes_.crowded.covered_ns(start_ns, stop_ns);
    const uint32_t shared = input_.cells.shared + cell;
    if (in == window) {
      add(cell, 0, ns);
      if (crowded_ns > 0) add(shared, ns - crowded_ns, ns);
      return;
    }
    const auto spill = [&](const CellEntry& entry) { result_.spills.push_back({in, entry}); };
    add_cell_entry(cell, 0, ns, spill);
    if (crowded_ns > 0) add_cell_entry(shared, ns - crowded_ns, ns, spill);
  }

  void add_totals(std::size_t window) {
    for (const LaneKind kind : kEventLanes) {
      const EventLane& lane = lanes_.events[kind];
      for (std::size_t& next = next_[kind]; next < lane.rows().size(); ++next) {
        const LaneSegment event = lane.event(lane.rows()[next]);
        if (event.start_ns >= times_[window].stop_ns) break;
        const Interval time{event.start_ns, event.stop_ns};
        add_piece(event.cell, time, window, window);
        if (event.stop_ns <= times_[window].stop_ns) continue;
        const auto end = static_cast<std::size_t>(
            std::ranges::lower_bound(times_, event.stop_ns, {}, &Interval::start_ns) -
            times_.begin());
        std::size_t later = window + 1;
        // An event with a damaged end can cover all later windows, as can many such events.
        if (end > later + 1 && input_.are_in_order) {
          result_.whole.push_back({later, event.cell, +1});
          result_.whole.push_back({end - 1, event.cell, -1});
          later = end - 1;
        }
        for (; later < end; ++later) add_piece(event.cell, time, window, later);
      }
    }
  }

  void flush() {
    const std::size_t before = result_.entries.size();
    for (const uint32_t cell : touched_) {
      add_cell_entry(cell, exclusive_ns_[cell], total_ns_[cell],
                     [&](const CellEntry& entry) { result_.entries.push_back(entry); });
      exclusive_ns_[cell] = total_ns_[cell] = 0;
    }
    touched_.clear();
    result_.counts.push_back(result_.entries.size() - before);
  }

  const SweepInput& input_;
  const GpuLanes& lanes_;
  DeviceIndex device_;
  const std::vector<Interval>& times_;
  std::vector<int64_t> exclusive_ns_, total_ns_;  // by cell, of this window
  std::vector<uint32_t> touched_;
  std::array<LaneCursor, kLaneKinds> cursors_;
  std::array<std::size_t, kMemoryLane + 1> next_{};  // event by LaneKind
  std::span<const Interval> busy_;
  std::size_t busy_place_ = 0, known_gap_ = std::numeric_limits<std::size_t>::max();
  GapCause known_cause_ = GapCause::nothing;
  SweptEntries result_;
};

}  // namespace

IterationWindows windows_of(const Iterations& iterations) {
  std::vector<std::pair<int64_t, int>> bounds;  // +1: an iteration begins
  for (const Iteration& iteration : iterations.rows) {
    if (iteration.stop_ns <= iteration.start_ns) continue;
    bounds.emplace_back(iteration.start_ns, +1);
    bounds.emplace_back(iteration.stop_ns, -1);
  }
  std::sort(bounds.begin(), bounds.end());
  IterationWindows windows;
  int64_t open = 0, since_ns = 0;
  for (const auto& [time_ns, change] : bounds) {
    if (open > 0 && time_ns > since_ns) windows.times.push_back({since_ns, time_ns});
    since_ns = time_ns;
    open += change;
  }
  const auto place = [&](int64_t time_ns) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(windows.times, time_ns, {}, &Interval::start_ns) -
        windows.times.begin());
  };
  for (const Iteration& iteration : iterations.rows) {
    const std::size_t first = place(iteration.start_ns);
    windows.of_iteration.emplace_back(first, std::max(first, place(iteration.stop_ns)));
  }
  return windows;
}

// All events in order of start: after the start of the last one, two run until the second latest
// stop so far.
IntervalSet crowded_times(const GpuLanes& lanes) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  std::array<std::size_t, kEventLanes.size()> next{};
  std::vector<Interval> found;
  int64_t since_ns = 0, last_stop_ns = std::numeric_limits<int64_t>::min(),
          second_stop_ns = last_stop_ns;
  while (true) {
    LaneSegment first{kNever, kNever, 0};
    std::size_t from = 0;
    for (std::size_t k = 0; k < kEventLanes.size(); ++k) {
      const EventLane& lane = lanes.events[kEventLanes[k]];
      if (next[k] == lane.rows().size()) continue;
      const LaneSegment event = lane.event(lane.rows()[next[k]]);
      if (event.start_ns >= first.start_ns) continue;
      first = event;
      from = k;
    }
    const int64_t until_ns = std::min(second_stop_ns, first.start_ns);
    if (until_ns > since_ns) {
      if (!found.empty() && found.back().stop_ns == since_ns) {
        found.back().stop_ns = until_ns;
      } else {
        found.push_back({since_ns, until_ns});
      }
    }
    if (first.start_ns == kNever) break;
    ++next[from];
    since_ns = first.start_ns;
    second_stop_ns = std::max(second_stop_ns, std::min(last_stop_ns, first.stop_ns));
    last_stop_ns = std::max(last_stop_ns, first.stop_ns);
  }
  return IntervalSet::union_of_sorted(found);
}

SweptEntries sweep_windows(const SweepInput& input, const GpuLanes& lanes, DeviceIndex device,
                           std::size_t first, std::size_t end) {
  return WindowSweep(input, lanes, device, first, end).take();
}

}  // namespace dlview::aggregate
