// WindowSweep: divides windows of a GPU among the lanes that are active in them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "aggregate/engine/event_cells.h"
#include "aggregate/exclusive/exclusive_data.h"
#include "aggregate/exclusive/lanes.h"
#include "aggregate/iterations.h"
#include "aggregate/rules/rule_index.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

inline constexpr std::size_t kGapCells = kGapCauseCount + 1;  // the last one: not in a gap

// Disjoint pieces of the iterations. Iterations of a stored list may overlap.
struct IterationWindows {
  std::vector<base::Interval> times;                              // in order, none is empty
  std::vector<std::pair<std::size_t, std::size_t>> of_iteration;  // [first, end)
};

IterationWindows windows_of(const Iterations& iterations);

// Cells of everything that can have time, block by block.
struct CellNumbers {
  CellNumbers(const EventCells& kernels, const EventCells& memory, std::size_t ops)
      : hidden(static_cast<uint32_t>(kernels.cells.size())),
        memory_ops(2 * hidden),
        loader(memory_ops + static_cast<uint32_t>(memory.cells.size())),
        io(loader + static_cast<uint32_t>(ops * kGapCells)),
        cpu(io + kGapCells),
        other(cpu + static_cast<uint32_t>(ops * kGapCells)),
        shared(other + kGapCells),
        count(shared + loader) {}
  // Kernels begin at 0. On the host, each op and I/O has a cell for each idle cause. shared: for
  // each cell of the GPU, its events that run beside others: the time they run alone, and all.
  uint32_t hidden, memory_ops, loader, io, cpu, other, shared;
  std::size_t count;
};

// In order of priority. kHiddenTensorCoreLane: communication kernels that use Tensor Cores, which
// the breakdown gives to those where another kernel runs.
enum LaneKind : uint8_t {
  kTensorCoreLane,
  kHiddenTensorCoreLane,
  kComputeLane,
  kCommunicationLane,
  kMemoryLane,
  kLoaderLane,
  kIoLane,
  kCpuLane,
  kLaneKinds,
};

// Each event is in one of these.
inline constexpr std::array kEventLanes{kTensorCoreLane, kComputeLane, kCommunicationLane,
                                        kMemoryLane};

// The lanes of a GPU, those of the host apart.
struct GpuLanes {
  std::array<EventLane, kMemoryLane + 1> events;  // by LaneKind
  base::IntervalSet crowded;                      // in which two events or more run
  bool counts_host = true;
  const GpuWorkTimes* work = nullptr;  // null = did nothing
};

// In which two events or more of the lanes run.
base::IntervalSet crowded_times(const GpuLanes& lanes);

// The lanes of the host, shared by all GPUs.
struct HostLanes {
  HostLane loader, io, cpu;
};

// The time of a cell in a window.
struct CellEntry {
  uint32_t cell = 0, exclusive_ns = 0, total_ns = 0;
};

// Values of a later window.
struct LaterEntry {
  std::size_t window = 0;
  CellEntry entry;
};

// What one piece of the windows of a GPU gives.
struct SweptEntries {
  std::vector<CellEntry> entries;
  std::vector<std::size_t> counts;  // of each window
  std::vector<LaterEntry> spills;   // into later windows
  std::vector<ExclusiveData::WholeWindows> whole;
};

// What all GPUs share; outlives the sweep.
struct SweepInput {
  const RuleIndex& rules;
  const IterationWindows& windows;
  const CellNumbers& cells;
  const HostLanes& host;
  bool are_in_order = false;  // windows, by iteration
};
// Divides the windows [first, end) of a GPU. Costs the segments of its lanes in them.
SweptEntries sweep_windows(const SweepInput& input, const GpuLanes& lanes,
                           profile::DeviceIndex device, std::size_t first, std::size_t end);

}  // namespace dlview::aggregate
