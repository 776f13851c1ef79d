// Memory of PyTorch's allocators over time (docs/dev/spec.md, Memory): a curve for each device, the
// peak of a range with the blocks alive at it, and what ops allocate and free. Reserved memory that
// is not in use does not count as allocated. Filters change neither curves nor peaks. Of exports of
// Nsight Systems: memory that CUDA allocated, a curve for each device and kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "base/intervals.h"
#include "base/max_tree.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// A device as PyTorch numbers it in the process. Profile::devices may have the numbers of the
// machine.
struct MemoryDevice {
  int64_t type = 0, number = 0;
  // Of CUDA's own memory only. Memory of the host that the GPU can reach has type 0.
  profile::MemoryKind kind = profile::MemoryKind::not_recorded;
  bool is_cpu() const { return type == 0; }
  auto operator<=>(const MemoryDevice&) const = default;
};
// The name that PyTorch uses: "cuda:0" (NVIDIA and AMD), "xpu:1"; "CPU". With a kind that is not
// plain device memory: "cuda:0 managed", "CPU pinned".
std::string to_text(const MemoryDevice& device);

// The memory of a device after each of its events.
class MemoryCurve {
 public:
  MemoryCurve(const profile::TraceAllocations& table, MemoryDevice device,
              std::vector<profile::Row> events);

  // What is in use after each event, from 0 on; times in order.
  MemoryCurve(MemoryDevice device, std::vector<int64_t> times_ns,
              const std::vector<int64_t>& in_use_bytes);

  const MemoryDevice& device() const { return device_; }
  // Rows of the trace's allocations, in order of time; none of CUDA's own memory.
  const std::vector<profile::Row>& events() const { return events_; }
  // False if the trace has no totals: then allocated memory counts from 0 at the start of the
  // capture, and reserved memory is unknown.
  bool has_totals() const { return has_totals_; }
  // Whether reserved memory was recorded.
  bool has_reserved() const { return has_reserved_; }

  struct Use {
    int64_t allocated = 0, reserved = 0;  // bytes
    bool operator==(const Use&) const = default;
  };
  Use at(int64_t time_ns) const;  // after all events at that time
  // The maximum of each value from the start to the stop, both included.
  Use most(const base::Interval& time) const;

  struct Peak {
    int64_t time_ns = 0;
    std::size_t event = 0;  // the number of events() up to it; 0 = before the first
    Use use;
    bool operator==(const Peak&) const = default;
  };
  // The first time at which most memory is allocated.
  Peak peak(const base::Interval& time) const;

 private:
  // The number of events before or at the time.
  std::size_t events_until(int64_t time_ns) const;
  Use after(std::size_t events) const;
  void index();

  MemoryDevice device_;
  std::vector<profile::Row> events_;
  bool has_totals_ = false, has_reserved_ = false;
  // times_[i] is that of event i. The other two have the values before event i, and at the end.
  std::vector<int64_t> times_, allocated_, reserved_;
  base::MaxTree most_allocated_, most_reserved_;
};

// One for each device with events, in order of device, the CPU last. O(n) for n events. Of CUDA's
// own memory for each device and kind, where PyTorch's was not recorded.
std::vector<MemoryCurve> memory_curves(const profile::Profile& profile);

// The GPU that is the device of each curve: that of the same number if the process and the file
// number GPUs alike, or the only GPU if only one has memory. nullopt of the CPU, and if the numbers
// differ. O(c log d) for c curves and d devices of the profile.
std::vector<std::optional<profile::DeviceIndex>> gpus_of(const profile::Profile& profile,
                                                         const std::vector<MemoryCurve>& curves);

// The op instance in which each event of the trace happens, by row: the innermost one open on its
// thread, start and stop included. kNoRow = none.
std::vector<profile::InstanceIndex> instances_of_allocations(const profile::Profile& profile);

// The event that ends each block, by row of its allocation: the next event of its device with its
// address, a free or another allocation. kNoRow = none, or no address was recorded.
std::vector<profile::AllocationIndex> ends_of_blocks(const profile::Profile& profile);

// The host time of the range.
base::Interval memory_time(const Aggregation& aggregation);

// What a device holds at the peak of the range.
struct MemoryPeak {
  MemoryDevice device;
  MemoryCurve::Peak peak;
  bool has_totals = false;
  // Events whose blocks are alive, in order of time.
  std::vector<profile::AllocationIndex> alive;
  // The remainder, allocated before the capture began. nullopt = no addresses recorded: all blocks
  // are unknown.
  std::optional<int64_t> before_bytes;
};
std::vector<MemoryPeak> memory_peaks(const profile::Profile& profile,
                                     const Aggregation& aggregation);

// What an op allocates and frees in the range on a device.
struct OpMemory {
  profile::OpIndex op;  // kNoRow = outside of ops
  MemoryDevice device;
  int64_t allocations = 0, allocated_bytes = 0, frees = 0, freed_bytes = 0;
  int64_t largest_bytes = 0;  // of one allocation
  bool operator==(const OpMemory&) const = default;
};
// In order of their first events.
std::vector<OpMemory> op_memory(const profile::Profile& profile, const Aggregation& aggregation);

// The events of the range that match the filters, in order of time.
std::vector<profile::AllocationIndex> memory_events(
    const profile::Profile& profile, const Aggregation& aggregation,
    const std::vector<profile::InstanceIndex>& instances);

// Of PyTorch's allocators.
bool has_memory_events(const profile::Profile& profile);

// Memory that CUDA allocated and freed, as an export of Nsight Systems has it.
bool has_memory_usage(const profile::Profile& profile);

// "Device", "Pinned", "Managed", "Unknown"; "" = not recorded.
std::string_view to_text(profile::MemoryKind kind);

// An allocation or a free of CUDA, and what its device then has in use of that kind, counted from 0
// at the start of the capture. A free takes off what was allocated at its address, or its own bytes
// if that was before the capture.
struct MemoryUse {
  profile::Row row = 0;  // of Trace::memory_usage
  MemoryDevice device;
  int64_t in_use_bytes = 0;  // at least 0
};
// In order of time, equal times as in the file. O(n log n).
std::vector<MemoryUse> memory_uses(const profile::Profile& profile);

}  // namespace dlview::aggregate
