// ProfileIndex: what every aggregation of a profile needs and no selection changes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aggregate/cpu/event_cells.h"
#include "aggregate/group_tree.h"
#include "aggregate/stats.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

struct ProfileIndex {
  explicit ProfileIndex(const profile::Profile& profile);

  std::vector<InstanceTimes> times;  // one per instance
  EventCells kernels, memory_ops;
  std::shared_ptr<const GroupTree> groups;
  std::vector<uint8_t> communicates;        // profile::communication_kernels()
  std::vector<profile::StringId> op_types;  // in byte order of the text
  std::vector<profile::Row> type_of_op;     // row in op_types
};

}  // namespace dlview::aggregate::cpu
