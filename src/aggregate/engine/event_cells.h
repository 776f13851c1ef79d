// Dense ids of the groups in which GPU events are summed: kernels by (op, name, device, uses Tensor
// Cores, communicates), memory operations by (op, name, device). Except for its time, all
// properties of an event that filters and the breakdown use are the same for all events of an id.
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
