// Dense ids for what GPU events are summed by: kernels by (op, name, device, uses Tensor
// Cores, communicates), memory operations by (op, name, device). What a filter and the breakdown
// ask of an event but for its time is the same for all events of an id.
#pragma once

#include <cstdint>
#include <vector>

#include "base/untouched_vector.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct EventCell {
  profile::OpIndex op{0};
  profile::StringId name = 0;
  profile::DeviceIndex device{0};
  bool uses_tensor_cores = false, communicates = false;  // false for memory operations
};

struct EventCells {
  std::vector<EventCell> cells;  // in order of (op row, byte order of the name, the rest)
  base::UntouchedVector<profile::Row> of_event;  // row in `cells` for each event row
};

// Both run on all cores. `communicates`: profile::communication_kernels().
EventCells kernel_cells(const profile::Profile& profile, const std::vector<uint8_t>& communicates);
EventCells memory_cells(const profile::Profile& profile);

}  // namespace dlview::aggregate
