// Dense ids for what GPU events are summed by: kernels by (op, short name, device, uses Tensor
// Cores), memory operations by (op, name, device). Everything that a filter asks of an event but
// its time is the same for all events of an id.
#pragma once

#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate::cpu {

struct EventCell {
  profile::Row op = 0;
  profile::StringId name = 0;
  profile::Row device = 0;
  bool uses_tensor_cores = false;  // false for memory operations
};

struct EventCells {
  std::vector<EventCell> cells;        // in order of (op row, byte order of the name, device, flag)
  std::vector<profile::Row> of_event;  // row in `cells` for each event row
};

// Both run on all cores.
EventCells kernel_cells(const profile::Profile& profile);
EventCells memory_cells(const profile::Profile& profile);

}  // namespace dlview::aggregate::cpu
