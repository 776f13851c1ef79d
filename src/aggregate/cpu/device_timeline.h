// DeviceTimeline: how much of what one device did lies before any point in time. It does not depend
// on the selection; filters ask it for some of its events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregate/cpu/kept.h"
#include "aggregate/cpu/kept_sweep.h"
#include "aggregate/engine/coverage.h"
#include "aggregate/engine/time_order.h"

namespace dlview::aggregate::cpu {

class DeviceTimeline {
 public:
  explicit DeviceTimeline(const TimeOrder& order);

  // The coverage before each of these times, which ascend. Runs on all cores.
  std::vector<Coverage> covered_before(std::span<const int64_t> times_ns) const;
  // The same of the GPU events that are kept; nothing of the host.
  std::vector<Coverage> covered_before(std::span<const int64_t> times_ns, const Kept& kept) const;

 private:
  std::size_t events_before(int64_t time_ns) const;  // that start before it
  std::size_t stopped_by(int64_t time_ns) const;
  template <std::size_t N>
  void add_kept(std::size_t first, std::size_t end, const KeptLevels& levels,
                const TimeWindow& window, KeptSweep<N>& sweep) const;
  template <std::size_t N>
  void add_window(std::span<const int64_t> times_ns, const std::vector<std::size_t>& places,
                  const KeptLevels& levels, const TimeWindow& window,
                  std::vector<Coverage>& result) const;

  std::vector<Levels> levels_;  // by cell
  // The events in order of their start.
  std::vector<int64_t> start_ns_, stop_ns_;
  std::vector<uint32_t> cell_;
  std::vector<Sweep> checkpoints_;  // before event i * kStride
  std::vector<int64_t> check_ns_;   // its start
  std::vector<std::size_t> clean_;  // places in the order where nothing before is still running
};

}  // namespace dlview::aggregate::cpu
